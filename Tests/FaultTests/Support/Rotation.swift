import Staging

/// An expired pair of tokens, and its state after a fault during the refresh.
///
/// A second account must stay unchanged. During the fault, passwords from a repository's addresses are stored.
struct Rotation {
    /// The keyring's state after a fault.
    enum Outcome: Hashable {
        /// The old pair, whose refresh token the server has not received.
        case oldUnspent
        /// The newest pair of the server.
        case new
        /// A pair with a spent refresh token: the next command must sign in.
        case spent
    }

    let fixture: EndToEndFixture
    /// The token of the second account.
    private let other: IssuedToken

    /// A fixture with an expired pair for monalisa, in a session started by this script of Tests/Support.
    init(at service: Service = .gitHub, startedBy runner: [String]? = nil) async throws {
        fixture = try await EndToEndFixture(service, app: service.refreshingApp(interval: 1), startedBy: runner)
        other = fixture.server.issueToken(for: "bob", app: fixture.app)
        try await fixture.remember(other, since: 2_000_000_000)
        try await begin()
    }

    /// Stores passwords from a repository's addresses: another password, and another account's token.
    func startHostileStores() throws -> [RunningProgram] {
        try ["username=monalisa", "username=eve"].map {
            try fixture.startHelper("store", [$0, "password=ghp_garbage"])
        }
    }

    /// Puts a new, expired pair into the keyring.
    func begin() async throws { try await fixture.signedIn("monalisa", expiringIn: -10, since: 1_000_000_000) }

    /// Expires the stored pair, so that the next `get` refreshes it.
    func expire() async throws { try await fixture.session.age(expiringIn: -10) }

    /// Reads the keyring.
    func outcome(since issued: Int) async throws -> Outcome {
        let all = try await fixture.session.items()
        let items = all.filter { $0.attributes["user"] == "monalisa" }
        let tokens = fixture.server.tokens
        guard items.count == 1, let item = items.first, item["gitspace_since"] == "1000000000",
            all.contains(where: { $0.attributes["user"] == "bob" && $0.password == other.accessToken }),
            let position = tokens.firstIndex(where: { $0.refreshToken == item["oauth_refresh_token"] }),
            tokens[position].accessToken == item.password
        else { throw NeverHappened(description: "a whole pair in the keyring; there are \(items.count) items") }
        if tokens[position].isRefreshSpent { return .spent }
        return position < issued ? .oldUnspent : .new
    }
}
