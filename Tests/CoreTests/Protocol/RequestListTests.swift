import TestSupport
import Testing

@Suite("Lists in a request")
struct RequestListTests {
    private let place = "protocol=https\nhost=github.com\n"

    @Test("clears the earlier values at an empty one, which git leaves to the helper")
    func reset() throws {
        let request = try Request(
            place + """
                wwwauth[]=Basic realm="one"
                capability[]=authtype
                state[]=gitspace:1
                wwwauth[]=
                capability[]=
                state[]=
                wwwauth[]=Basic realm="two"
                capability[]=state
                state[]=gitspace:2
                """)
        #expect(request.wwwauth == [Array("Basic realm=\"two\"".utf8)] && request.capabilities == [.state])
        #expect(request.state == [Array("gitspace:2".utf8)])
    }

    @Test("ignores other helpers' state", arguments: ["cache:1", "gitspac", "Gitspace:1", "xgitspace:"])
    func foreignState(value: String) throws { #expect(try Request(place + "state[]=\(value)").state.isEmpty) }

    @Test("ignores unknown capabilities", arguments: ["future", "State", "state ", "authtype,state"])
    func unknownCapability(value: String) throws {
        #expect(try Request(place + "capability[]=\(value)").capabilities.isEmpty)
    }

    @Test("limits a flood of headers, and answers the request")
    func flood() throws {
        let flood = String(repeating: "wwwauth[]=Basic realm=\"x\"\nstate[]=gitspace:1\n", count: 1_000)
        let request = try Request(flood + place)
        #expect(request.wwwauth.count == 64 && request.state.count == 64)
    }

    @Test("keeps control characters in a header, which is never shown")
    func escapes() throws {
        let header = "Basic realm=\"\u{1b}]52;c;AAAA\u{7}\"\r"
        #expect(try Request(place + "wwwauth[]=\(header)").wwwauth == [Array(header.utf8)])
    }

    @Test("does not read a header as a host, however long it is (git 2.41, 71201ab0e5)")
    func longHeader() throws {
        let header = "basic realm=" + String(repeating: "a", count: 1_024) + "host=victim.example.com"
        let request = try Request("protocol=https\nhost=badguy.example.com\nwwwauth[]=\(header)")
        #expect(request.host == Array("badguy.example.com".utf8))
    }
}
