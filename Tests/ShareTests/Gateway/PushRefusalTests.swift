import CredentialCore
import Testing

@testable import Share

@Suite("gateway: refused pushes")
struct PushRefusalTests {
    private static let agent = policy("agent/*")

    private static func policy(_ branches: String...) -> GatewayPolicy {
        GatewayPolicy(.hosts([HostName(name: "github.com")]), branches: branches.compactMap { BranchPattern($0) })
    }

    private func refusal(_ bytes: [UInt8], _ policy: GatewayPolicy = Self.agent) throws -> PushRefusal? {
        policy.refusal(of: try PushBytes.read(bytes))
    }

    /// Returns the payloads of the pkt-lines, with an empty one for a flush.
    private func packets(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
        var rest = Array(bytes)[...]
        var packets: [[UInt8]] = []
        while let length = PacketLine.length(rest.prefix(4)), rest.count >= max(4, length) {
            packets.append(Array(rest.prefix(max(4, length)).dropFirst(4)))
            rest = rest.dropFirst(max(4, length))
        }
        #expect(rest.isEmpty)
        return packets
    }

    private func body(_ response: GatewayResponse?) -> [UInt8] { response?.body ?? [] }

    /// Returns the joined data of each side band.
    private func bands(_ packets: [[UInt8]]) -> (data: [UInt8], progress: String) {
        #expect(packets.last?.isEmpty == true && packets.filter(\.isEmpty).count == 1)
        func band(_ number: UInt8) -> [UInt8] { packets.filter { $0.first == number }.flatMap { $0.dropFirst() } }
        #expect(packets.dropLast().allSatisfy { [1, 2].contains($0.first) })
        return (band(1), String(decoding: band(2), as: UTF8.self))
    }

    private func lines(_ report: [UInt8]) -> [String] { packets(report).map { String(decoding: $0, as: UTF8.self) } }

    @Test("accepts only the allowed branches for creation, change and deletion")
    func allowed() throws {
        for command in [PushBytes.create, PushBytes.update, PushBytes.delete] {
            #expect(try refusal(PushBytes.commands([command("refs/heads/agent/x")])) == nil)
            for ref in ["refs/heads/main", "refs/tags/agent/x", "refs/notes/commits", "HEAD", "refs/heads/agent"] {
                let refused = try refusal(PushBytes.commands([command(ref)]))
                #expect(refused?.commands.map(\.ref) == [Array(ref.utf8)[...]])
            }
        }
        let both = Self.policy("agent/*", "wip")
        #expect(try refusal(PushBytes.commands([PushBytes.create("refs/heads/wip")]), both) == nil)
        #expect(try refusal(PushBytes.commands([PushBytes.create("refs/heads/wip2")]), both) != nil)
    }

    @Test("accepts every push without a limit, and a probe or an empty push of a shallow repository with one")
    func unlimited() throws {
        let every = Self.policy()
        #expect(try refusal(PushBytes.commands([PushBytes.delete("refs/tags/v1")]), every) == nil)
        #expect(try refusal(PushBytes.signed([PushBytes.update("refs/heads/main")]), every) == nil)
        let options = PushBytes.commands([PushBytes.update("refs/heads/main")], capabilities: "push-options")
        #expect(try refusal(options + PushBytes.packet("ci.skip") + PushBytes.flush, every) == nil)
        #expect(try refusal(PushBytes.flush) == nil)
        #expect(try refusal(PushBytes.packet("shallow \(PushBytes.first)") + PushBytes.flush) == nil)
    }

    @Test("reports the refusal in git's own format, with side bands")
    func sideBands() throws {
        let refused = try refusal(
            PushBytes.commands([
                PushBytes.create("refs/heads/agent/x"), PushBytes.update("refs/heads/main"),
                PushBytes.delete("refs/tags/v1"), PushBytes.update("refs/heads/agent/y"),
            ]))
        #expect(refused?.commands.map(\.displayName) == ["main", "refs/tags/v1"])
        let response = refused?.response
        #expect(response?.status == 200)
        #expect(
            response?.fields.map { "\($0.name): \($0.value)" } == [
                "Content-Type: application/x-git-receive-pack-result", "Cache-Control: no-cache",
            ])
        let (data, progress) = bands(packets(body(response)))
        #expect(progress == "gitspace: only agent/* may be pushed\n")
        #expect(
            lines(data) == [
                "unpack ok\n", "ng refs/heads/agent/x not pushed, because another ref was refused\n",
                "ng refs/heads/main gitspace: only agent/* may be pushed\n",
                "ng refs/tags/v1 gitspace: only agent/* may be pushed\n",
                "ng refs/heads/agent/y not pushed, because another ref was refused\n", "",
            ])
    }

    @Test("reports the refusal alone without side bands", arguments: ["report-status", "report-status-v2"])
    func bare(capabilities: String) throws {
        let refused = try refusal(PushBytes.commands([PushBytes.update("refs/heads/main")], capabilities: capabilities))
        #expect(
            lines(body(refused?.response)) == [
                "unpack ok\n", "ng refs/heads/main gitspace: only agent/* may be pushed\n", "",
            ])
    }

    @Test("returns an HTTP error to a client that reads no report")
    func noReport() throws {
        for capabilities in ["", "side-band-64k", "atomic quiet"] {
            let refused = try refusal(
                PushBytes.commands([PushBytes.update("refs/heads/main")], capabilities: capabilities))
            #expect(refused?.response.status == 403)
            #expect(body(refused?.response) == Array("gitspace: only agent/* may be pushed\n".utf8))
        }
    }

    @Test(
        "divides a long report into packets of the side band's size",
        arguments: [("report-status side-band-64k", 65_516), ("report-status side-band", 996)])
    func cut(capabilities: String, longest: Int) throws {
        let names = (0..<3_000).map { "refs/heads/\($0)" }
        let refused = try refusal(PushBytes.commands(names.map(PushBytes.create), capabilities: capabilities))
        let packets = packets(body(refused?.response))
        #expect(packets.map(\.count).max() == longest)
        #expect(lines(bands(packets).data).filter { $0.hasPrefix("ng ") }.count == 3_000)
    }

    @Test("fits the longest name of a ref and the most patterns into a line")
    func longest() throws {
        let name = "refs/heads/" + String(repeating: "\u{1F600}", count: 1_021)
        let bytes = PushBytes.commands([PushBytes.create(name)], capabilities: "report-status")
        func told(_ patterns: [String]) throws -> String? {
            let policy = GatewayPolicy(.hosts([]), branches: patterns.compactMap { BranchPattern($0) })
            #expect(policy.branches.count == patterns.count)
            return try lines(body(refusal(bytes, policy)?.response)).dropFirst().first
        }
        let numbers = (0..<100).map { "\($0)-*" }
        #expect(
            try told(numbers)
                == "ng \(name) gitspace: only \(numbers[..<22].joined(separator: ", ")), ... may be pushed\n")
        let hidden = String(repeating: "\u{202e}", count: 85)
        #expect(try told([hidden]) == "ng \(name) gitspace: only certain branches may be pushed\n")
        #expect(try told(["a", hidden, "b"]) == "ng \(name) gitspace: only a, ... may be pushed\n")
        #expect(try told(["작업/*", "b"]) == "ng \(name) gitspace: only 작업/*, b may be pushed\n")
    }

    @Test("refuses a signed push if branches are limited, whatever its certificate")
    func signed() throws {
        for ref in ["refs/heads/agent/x", "refs/heads/main"] {
            let refused = try refusal(PushBytes.signed([PushBytes.update(ref)]))
            #expect(refused?.reason == .signedPush)
            let reason = "gitspace: no signed push where branches are limited; push with --no-signed"
            let (data, progress) = bands(packets(body(refused?.response)))
            #expect(lines(data) == ["unpack ok\n", "ng \(ref) \(reason)\n", ""] && progress == "\(reason)\n")
        }
    }

    @Test("escapes the client's names for display, and returns them to it unchanged")
    func names() throws {
        let refused = try refusal(
            PushBytes.commands([PushBytes.update("refs/heads/한\u{202e}")], capabilities: "report-status"))
        #expect(refused?.commands.map(\.displayName) == ["한\\xe2\\x80\\xae"])
        let told = lines(body(refused?.response))
        #expect(told.dropFirst().first?.hasPrefix("ng refs/heads/한\u{202e} gitspace: ") == true)
    }
}
