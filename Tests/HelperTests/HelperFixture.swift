import TestSupport

/// The credential helper and its verbs on test doubles, with the calls that the tests share.
struct HelperFixture: HelperSuite {
    let doubles = Doubles()
    let verb: VerbFixture
    var helper: HelperFixture { self }

    init() { verb = VerbFixture(doubles) }

    /// Runs an operation as git does, and returns what git would read.
    @discardableResult
    func run(_ operation: Operation, _ lines: String = "protocol=https\nhost=github.com") throws -> String {
        let request = try Request(lines)
        return CredentialHelper(with: .forTests(doubles)).answer(operation, request).encoded(for: request).text
    }

    /// Stores a token pair of ours that expires in so many seconds.
    ///
    /// `lifetime` is in seconds; the endpoint's origin is stored if it is known.
    func stored(
        expiresIn seconds: Int64?, refreshToken: String? = "ghr_old", clientID: String = "Iv1.0123456789abcdef",
        host: String = "github.com", user: String = "octocat", password: String = "ghu_old", lifetime: Int64? = nil,
        origin: String? = nil, issuer: String? = nil, accountID: Int64? = nil
    ) {
        var grant = StoredCredential.Grant(
            clientID: clientID, issuer: issuer, tokenOrigin: origin, accountID: accountID)
        if let seconds, let lifetime { grant.issuedAt = RecordingClock.start + seconds - lifetime }
        put(password, seconds, refreshToken, grant, host: host, user: user)
    }

    /// Stores a credential that another program or a person brought.
    func brought(
        _ password: String, expiresIn seconds: Int64? = nil, refreshToken: String? = nil, host: String = "github.com",
        path: String? = nil, user: String = "octocat"
    ) { put(password, seconds, refreshToken, nil, host: host, path: path, user: user) }

    /// Stores a secret's whole text, which need not be well formed, as octocat's on github.com.
    func stored(text: String) {
        doubles.keyring.put(
            Secret(text),
            under: ItemAttributes(
                protocol: Array("https".utf8), host: HostName(name: "github.com"), user: Array("octocat".utf8)))
    }

    private func put(
        _ password: String, _ seconds: Int64?, _ refreshToken: String?, _ grant: StoredCredential.Grant?, host: String,
        path: String? = nil, user: String
    ) {
        doubles.keyring.put(
            StoredCredential(
                username: Array(user.utf8), password: Secret(password),
                passwordExpiryUTC: seconds.map { RecordingClock.start + $0 },
                oauthRefreshToken: refreshToken.map { Secret($0) }, grant: grant), for: host, path: path)
    }

    /// The state of a credential that we returned for github.com.
    func mark(_ password: String, user: String = "octocat") -> String {
        String(
            decoding: StateValue.of(
                host: Array("github.com".utf8), username: Array(user.utf8), password: Secret(password)), as: UTF8.self)
    }

    /// Queues the answers of a host that signs somebody in at the first poll.
    func approve(
        _ token: HTTPResponse = GitHubAnswers.oauthAppToken, as user: String = "octocat", at host: String = "github.com"
    ) { doubles.transport.answer(GitHubAnswers.device(at: host), token, GitHubAnswers.user(user)) }

    /// Signs in these accounts, in their usual order.
    func signedIn(_ users: String...) { for user in users { stored(expiresIn: 3_600, user: user) } }

    /// Signs in octocat and hubot, on a host that does not name the owner of a token.
    func withTwoAccounts() {
        signedIn("octocat", "hubot")
        doubles.transport.otherwise = .page(status: 502)
    }
}

/// A suite of tests on a fixture of the credential helper.
protocol HelperSuite { var helper: HelperFixture { get } }

extension HelperSuite {
    var doubles: Doubles { helper.doubles }
    var verb: VerbFixture { helper.verb }
    var questions: ScriptedQuestions { verb.questions }
    var files: InMemoryConfigurationFiles { verb.files }
    var requests: [SentRequest] { doubles.transport.requests }
    var prompts: [SignInPrompt] { doubles.ui.prompts }
    var notices: [Notice] { doubles.ui.notices }
    /// The texts of the reported errors, without their hints.
    var sentences: [String] { doubles.errors.map(\.text.english) }
    /// The hints of the last reported error.
    var hints: [String] { doubles.errors.last?.hints.map(\.english) ?? [] }
    /// The texts of the reported errors with their hints.
    var told: [String] { doubles.errors.flatMap { [$0.text.english] + $0.hints.map(\.english) } }

    func signInFailure(_ error: SignInError) -> UserFacingError? {
        .signIn(error, host: "github.com", clientID: "Iv1.0123456789abcdef")
    }

    /// The users of the items in the keyring, for a host or for all.
    func users(on host: String? = nil) -> [String] {
        doubles.keyring.items.filter { host == nil || $0.attributes.server == host.map { Array($0.utf8) } }.map {
            String(decoding: $0.attributes.user ?? [], as: UTF8.self)
        }
    }

    func credential(of user: String = "octocat") -> StoredCredential? { doubles.keyring.credential(of: user) }
    func password(of user: String = "octocat") -> String? { credential(of: user)?.password.text }

    /// Runs a get, for any account or the named one.
    func get(as username: String? = nil, host: String = "github.com", path: String? = nil) throws -> String {
        let lines = [path.map { "path=" + $0 }, username.map { "username=" + $0 }].compactMap(\.self)
        return try helper.run(.get, (["protocol=https", "host=\(host)"] + lines).joined(separator: "\n"))
    }

    /// Returns a credential as git sends it after its use, to store or erase it.
    func used(
        _ password: String, as user: String = "octocat", host: String = "github.com", path: String? = nil
    ) -> String {
        let place = "protocol=https\nhost=\(host)" + (path.map { "\npath=\($0)" } ?? "")
        return place + "\nusername=\(user)\npassword=\(password)"
    }

    /// Configures git.example, whose tokens id.example issues.
    func configureOpenID() {
        doubles.configure("credential", "https://git.example", ["provider": "oidc", "oauthClientId": "c"])
        doubles.configure("credential", "https://git.example", "oauthIssuer", "https://id.example")
    }

    /// Queues the endpoints of id.example.
    func discover() {
        respond(
            .json(
                """
                {"issuer":"https://id.example","token_endpoint":"https://id.example/token",\
                "device_authorization_endpoint":"https://id.example/device","userinfo_endpoint":"https://id.example/me",\
                "revocation_endpoint":"https://id.example/revoke"}
                """))
    }

    func respond(_ answers: HTTPResponse...) { answers.forEach(doubles.transport.answer) }
}
