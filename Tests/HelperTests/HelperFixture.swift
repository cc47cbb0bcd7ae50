import TestSupport

/// The credential helper on test doubles, with the calls that its tests share.
struct HelperFixture {
    let doubles = Doubles()

    /// Runs an operation as git does, and returns what git would read.
    @discardableResult
    func run(_ operation: Operation, _ lines: String = "protocol=https\nhost=github.com") throws -> String {
        let request = try Request(lines)
        return CredentialHelper(with: .forTests(doubles)).answer(operation, request).encoded(for: request).text
    }

    /// Runs a get for github.com, for any account or the named one.
    func get(as username: String? = nil) throws -> String {
        try run(.get, "protocol=https\nhost=github.com" + (username.map { "\nusername=\($0)" } ?? ""))
    }

    /// Stores a token pair of ours that expires in so many seconds.
    ///
    /// `lifetime` is in seconds; the endpoint's origin is stored if it is known.
    func stored(
        expiresIn seconds: Int64?, refreshToken: String? = "ghr_old", clientID: String = "Iv1.0123456789abcdef",
        host: String = "github.com", user: String = "octocat", password: String = "ghu_old", lifetime: Int64? = nil,
        origin: String? = nil
    ) {
        var grant = StoredCredential.Grant(clientID: clientID, tokenOrigin: origin)
        if let seconds, let lifetime { grant.issuedAt = RecordingClock.start + seconds - lifetime }
        doubles.keyring.put(
            StoredCredential(
                username: Array(user.utf8), password: Secret(password),
                passwordExpiryUTC: seconds.map { RecordingClock.start + $0 },
                oauthRefreshToken: refreshToken.map { Secret($0) }, grant: grant),
            for: host)
    }

    /// Stores a credential that another program or a person brought.
    func brought(
        _ password: String, expiresIn seconds: Int64? = nil, refreshToken: String? = nil, host: String = "github.com",
        path: String? = nil, user: String = "octocat"
    ) {
        doubles.keyring.put(
            StoredCredential(
                username: Array(user.utf8), password: Secret(password),
                passwordExpiryUTC: seconds.map { RecordingClock.start + $0 },
                oauthRefreshToken: refreshToken.map { Secret($0) }),
            for: host, path: path)
    }

    /// The state of a credential that we returned for github.com.
    func mark(_ password: String, user: String = "octocat") -> String {
        String(
            decoding: StateValue.of(
                host: Array("github.com".utf8), username: Array(user.utf8), password: Secret(password)),
            as: UTF8.self)
    }
}

extension HelperFixture {
    /// Signs in octocat and hubot, on a host that does not name the owner of a token.
    func withTwoAccounts() -> VerbFixture {
        for user in ["octocat", "hubot"] { stored(expiresIn: 3_600, user: user) }
        doubles.transport.otherwise = .page(status: 502)
        return VerbFixture(doubles)
    }
}
