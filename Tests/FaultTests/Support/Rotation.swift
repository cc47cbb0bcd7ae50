import Staging
import StandIn

/// A pair of tokens that has expired, and what a fault in the middle of its renewal made of it.
///
/// Beside monalisa's there is a second account, which must
/// stay as it is, and while something happens to the program a repository's addresses are stored.
struct Rotation {
    /// What the keyring holds after a fault.
    enum Outcome: Hashable {
        /// The old pair, and the server has not seen its refresh token.
        case oldUnspent
        /// The pair that the server issued last.
        case new
        /// A pair whose refresh token is spent: the next command has to sign in.
        case spent
    }

    /// Where it happens.
    let fixture: EndToEndFixture
    /// The second account's.
    private let other: IssuedToken

    /// One where monalisa's pair has expired, in a session that this script of Tests/Support starts.
    init(at service: Service = .gitHub, startedBy runner: [String]? = nil) async throws {
        fixture = try await EndToEndFixture(service, app: service.refreshingApp(interval: 1), startedBy: runner)
        other = fixture.server.issueToken(for: "bob", app: fixture.app)
        try await fixture.remember(other, since: 2_000_000_000)
        try await begin()
    }

    /// Stores what a repository has written into its addresses: another password, and somebody else's token.
    func startHostileStores() throws -> [RunningProgram] {
        try ["username=monalisa", "username=eve"].map {
            try fixture.startHelper("store", [$0, "password=ghp_garbage"])
        }
    }

    /// Puts a new pair, expired, into the keyring.
    func begin() async throws {
        let token = fixture.server.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(token, expiringIn: -10, since: 1_000_000_000)
    }

    /// Lets the pair that is in the keyring expire, so that the next `get` renews it.
    func expire() async throws { try await fixture.session.age(expiringIn: -10) }

    /// Looks into the keyring.
    ///
    /// - Parameter issued: how many tokens had been issued before the fault.
    /// - Returns: what it holds now.
    /// - Throws: `NeverHappened` if it is no pair of ours: half a pair, none, or two.
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
