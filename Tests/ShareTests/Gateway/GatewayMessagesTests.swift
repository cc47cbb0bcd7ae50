import CredentialCore
import Testing

@testable import Share

/// The messages between the two processes of a gateway; the client may control the process that serves it.
@Suite("gateway: messages between its processes")
struct GatewayMessagesTests {
    private func repository(_ path: String) throws -> RepositoryName {
        try #require(RepositoryName(host: HostName(name: "github.com"), path: path))
    }

    @Test("reads an order as it was written")
    func orders() throws {
        let hosts = [HostName(name: "github.com"), HostName(name: "git.example", port: 8443)]
        let branches = ["agent/*", "next"].compactMap(BranchPattern.init)
        for policy in [
            GatewayPolicy(.hosts(hosts)), GatewayPolicy(.hosts(hosts), isReadOnly: true),
            GatewayPolicy(.repositories([try repository("a/b"), try repository("a/b/c")]), branches: branches),
            GatewayPolicy(.hosts(hosts), branches: branches, opensPullRequests: true),
        ] {
            #expect(GatewayPolicy(parsing: policy.encoded) == policy)
            let configuration = [
                ConfigurationEntry(section: "http", key: "proxy", value: "socks5h://localhost:1\nx"),
                ConfigurationEntry(section: "http", subsection: "https://a.b/", key: "sslcert", value: nil),
            ]
            for entries in [configuration, []] {
                let order = GatewayOrder.parseWhole(GatewayOrder.encoded(policy, entries))
                #expect(order?.policy == policy && order?.configuration == entries)
            }
        }
        #expect(GatewayOrder.parseWhole(Array("host github.com".utf8)) == nil)
        #expect(GatewayOrder.parseWhole(Array("host github.com\u{0}http.proxy".utf8)) == nil)
    }

    @Test(
        "refuses an order that is not understood completely",
        arguments: [
            "", "read-only", "host", "host a b", "host github.com\nrepository github.com/a/b", "repository github.com",
            "repository github.com/..", "branch agent/*", " ", "host github.com\n  ", "host github.com\nbranch a*b*",
            "host github.com\nx",
        ])
    func noOrder(text: String) { #expect(GatewayPolicy(parsing: Array(text.utf8)) == nil) }

    private func commands(_ count: Int) throws -> [PushCommand] {
        try (0..<count).map { number in
            try #require(PushCommand(line: Array(PushBytes.create("refs/heads/agent/\(number)").utf8)[...]))
        }
    }

    @Test("reads a message as it was written, with the first of many refs and their number")
    func messages() throws {
        let app = try repository("acme/app")
        let many = GatewayIntention(app, .receivePack, .transfer, commands: try commands(20))
        #expect(many.commands.count == GatewayIntention.mostRefs && many.count == 20)
        for message in [
            GatewayMessage.asks(many), .asks(GatewayIntention(app, .uploadPack, .discovery, isRejected: true)),
            .asks(GatewayIntention(app, .receivePack, .transfer)), .asks(GatewayIntention(app, .uploadPack, .listing)),
            .refused(many, .branches), .refused(GatewayIntention(app, .uploadPack, .discovery), .notShared),
            .ended(.answered), .ended(.unreported), .ended(.unauthorized), .ended(.hostGone),
            .ended(.clientGone(hasBegun: true)), .ended(.clientGone(hasBegun: false)), .ended(.failed(.missing)),
            .ended(.reported(PushResult([]))), .ended(.reported(PushResult([.accepted, .rejected, .unknown]))),
            .ended(.reported(PushResult(Array(repeating: .accepted, count: 12) + [.rejected, .unknown]))),
        ] { #expect(GatewayMessage(parsing: message.encoded) == message) }
        let longest = String(repeating: "x", count: 4_000)
        let names = try (0..<8).map {
            try #require(PushCommand(line: Array(PushBytes.create("\(longest)\($0)").utf8)[...]))
        }
        let message = GatewayMessage.asks(GatewayIntention(app, .receivePack, .transfer, commands: names))
        #expect(message.encoded.count < 65_536 && GatewayMessage(parsing: message.encoded) == message)
    }

    @Test(
        "refuses any other message",
        arguments: [
            "", "asks", "asks\n", "asks\ngithub.com/a/b git-upload-pack discovery first",
            "asks\ngithub.com/a/b git-upload-archive discovery first 0",
            "asks\ngithub.com/a/b git-upload-pack discovery first 0\n",
            "asks\ngithub.com/a/b git-upload-pack transfer first 1",
            "asks\ngithub.com/../b git-upload-pack discovery first 0",
            "asks\ngithub.com/a/b git-receive-pack transfer first 99999999999999999999",
            "asks\ngithub.com/a/b git-receive-pack transfer first 1\n0 0 refs/heads/x",
            "refused because\ngithub.com/a/b git-upload-pack discovery first 0", "ended", "ended failed",
            "ended failed x", "ended reported", "ended reported +", "ended reported =++++++++++",
            "ended reported = +1 +1", "ended reported = ++", "ended client-gone", "ended answered\n", "token gho_x",
        ])
    func noMessage(text: String) { #expect(GatewayMessage(parsing: Array(text.utf8)) == nil) }

    @Test("reads an acknowledgement with lines and without, and takes no refused token as one")
    func acknowledgement() {
        for text in ["", "remote\n"] {
            let remarks = Array(text.utf8)
            #expect(GatewayAcknowledgement.remarks(in: GatewayAcknowledgement.encoded(remarks)) == remarks)
        }
        #expect(GatewayAcknowledgement.remarks(in: Secret("quit=1\n".utf8)) == nil)
    }
}
