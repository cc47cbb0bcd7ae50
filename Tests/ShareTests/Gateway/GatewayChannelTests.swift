import CredentialCore
import Share
import Testing

/// What the two processes of a gateway say to each other; the one that serves a client may be in the client's hands.
@Suite("gateway: between the processes")
struct GatewayChannelTests {
    private func repository(_ path: String) throws -> RepositoryName {
        try #require(RepositoryName(host: HostName(name: "github.com"), path: path))
    }

    @Test("an order comes back as it was")
    func orders() throws {
        let hosts = [HostName(name: "github.com"), HostName(name: "git.example", port: 8443)]
        let branches = ["agent/*", "next"].compactMap(BranchPattern.init)
        for policy in [
            GatewayPolicy(.hosts(hosts)), GatewayPolicy(.hosts(hosts), isReadOnly: true),
            GatewayPolicy(.repositories([try repository("a/b"), try repository("a/b/c")]), branches: branches),
        ] {
            #expect(GatewayOrder.parse(GatewayOrder.encoded(policy)) == policy)
        }
    }

    @Test(
        "what is not all understood is no order",
        arguments: [
            "", "read-only", "host", "host a b", "host github.com\nrepository github.com/a/b", "repository github.com",
            "repository github.com/..", "branch agent/*", " ", "host github.com\n  ", "host github.com\nbranch a*b*",
            "host github.com\nx",
        ])
    func noOrder(text: String) { #expect(GatewayOrder.parse(Array(text.utf8)) == nil) }

    @Test("a message comes back as it was, with the first refs of many")
    func messages() {
        let refs = (0..<GatewayMessage.mostRefs).map {
            GatewayMessage.PushedRef(name: "agent/\(Int($0))", change: .created, id: "3f2a1c9")
        }
        for message in [
            GatewayMessage.wanted(host: 3, .receivePack, isRejected: true),
            .wanted(host: 0, .uploadPack, isRejected: false),
            .fetched("acme/app"), .pushed("acme/app", refs), .refused("acme/app", .branches, refs: ["main"]),
            .failed("acme/app", .unreachable), .rejected("acme/app", refs: ["main", "refs/tags/v1"]),
        ] {
            #expect(GatewayMessage(parsing: message.encoded) == message)
        }
        #expect(GatewayMessage(parsing: GatewayMessage.pushed("a/b", refs + refs).encoded) == .pushed("a/b", refs))
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "wanted", "wanted -1 git-upload-pack first", "wanted 0 git-upload-archive first",
            "wanted 0 git-upload-pack", "wanted 0 git-upload-pack soon",
            "wanted 99999999999999999999 git-upload-pack first",
            "fetched", "fetched a b", "pushed a/b\nupdated", "pushed a/b\nmoved 1 x", "refused a/b because",
            "failed a/b x", "token gho_x",
        ])
    func noMessage(text: String) { #expect(GatewayMessage(parsing: Array(text.utf8)) == nil) }

    @Test("what a client could have written is shown without its control bytes")
    func control() {
        let message = GatewayMessage(parsing: Array("refused a/\u{1b}[2J branches\n\u{1b}]0;x\u{7}".utf8))
        guard case .refused(let repository, _, let refs) = message else { return #expect(Bool(false)) }
        #expect(!repository.text.contains("\u{1b}") && refs.allSatisfy { !$0.text.contains("\u{1b}") })
    }
}
