import CredentialCore
import Providers
import TestSupport
import Testing

@Suite("GitHub: what a token reaches")
struct RepositoryTokensTests {
    private static let one =
        #"{"id":7,"account":{"login":"acme"},"permissions":{"contents":"write","metadata":"read"}}"#

    private func reach(_ token: String = "ghu_x", _ answers: String...) throws -> TokenReach {
        let transport = ScriptedTransport()
        answers.forEach { transport.answer(.json($0)) }
        let host = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        let reach = try GitHub(host).reach(of: Secret(token), besides: "acme/app", over: transport)
        #expect(transport.isExhausted)
        return reach
    }

    private func installations(_ total: Int, _ list: String...) -> String {
        "{\"total_count\":\(total),\"installations\":[\(list.joined(separator: ","))]}"
    }

    private func repositories(_ total: Int, _ names: String...) -> String {
        "{\"total_count\":\(total),\"repositories\":[\(names.map { "{\"full_name\":\"\($0)\"}" }.joined(separator: ","))]}"
    }

    @Test("one repository, in one of several installations")
    func only() throws {
        #expect(try reach("ghu_x", installations(1, Self.one), repositories(1, "Acme/App")) == .only)
        let both = installations(2, Self.one, Self.one.replacing("7", with: "8"))
        #expect(try reach("ghu_x", both, repositories(0), repositories(1, "acme/app")) == .only)
        #expect(try reach("ghs_x", repositories(1, "acme/app")) == .only)
    }

    @Test("another one, whatever the order, and in another installation")
    func more() throws {
        #expect(try reach("ghs_x", repositories(2, "acme/app", "acme/other")) == .more("acme/other"))
        #expect(try reach("ghs_x", repositories(500, "acme/a", "acme/app")) == .more("acme/a"))
        let both = installations(2, Self.one, Self.one.replacing("7", with: "8"))
        #expect(try reach("ghu_x", both, repositories(1, "acme/app"), repositories(1, "beta/x")) == .more("beta/x"))
    }

    @Test("nothing is not enough, and what is not told is not believed")
    func unknown() throws {
        #expect(try reach("ghu_x", installations(0)) == .nothing)
        #expect(try reach("ghs_x", repositories(0)) == .nothing)
        #expect(try reach("ghs_x", repositories(2, "acme/app")) == .unknown)
        #expect(try reach("ghu_x", installations(101, Self.one)) == .unknown)
        #expect(try reach("ghu_x", installations(1, #"{"id":7}"#)) == .unknown)
        #expect(try reach("ghs_x", #"{"total_count":1,"repositories":[{}]}"#) == .unknown)
        #expect(try reach("ghs_x", "{}") == .unknown)
    }

    @Test("what the app may do")
    func permissions() throws {
        let host = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        for (installation, expected) in [
            (Self.one, AppPermissions.write), (Self.one.replacing("write", with: "read"), .read),
            (Self.one.replacing("acme", with: "beta"), .none),
        ] {
            let transport = ScriptedTransport(.json(installations(1, installation)))
            #expect(
                try GitHub(host).permissions(in: "acme/app", token: Secret("ghu_x"), over: transport) == expected)
        }
    }
}
