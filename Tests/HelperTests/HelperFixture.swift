import CredentialCore
import Helper
import TestSupport

/// The helper among doubles, and what its tests keep asking it.
struct HelperFixture {
    /// Everything outside.
    let doubles = Doubles()

    /// Lets git ask, and returns what git would read.
    @discardableResult
    func run(_ operation: Operation, _ lines: String = "protocol=https\nhost=github.com") throws -> String {
        let request = try Request(lines)
        return CredentialHelper(with: .forTests(doubles)).answer(operation, request).encoded(for: request).text
    }

    /// Lets git ask for a credential of github.com, perhaps for an account.
    func get(as username: String? = nil) throws -> String {
        try run(.get, "protocol=https\nhost=github.com" + (username.map { "\nusername=\($0)" } ?? ""))
    }

    /// Puts a pair of ours into the keyring, which ends so many seconds from now, and was issued for `lifetime` seconds
    /// by the endpoint of an origin, as far as it tells.
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

    /// Puts a credential into the keyring that another program or a person brought.
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

    /// The mark of a credential that we handed out for github.com.
    func mark(_ password: String, user: String = "octocat") -> String {
        String(
            decoding: StateValue.of(
                host: Array("github.com".utf8), username: Array(user.utf8), password: Secret(password)),
            as: UTF8.self)
    }
}

extension HelperFixture {
    /// octocat and hubot are signed in, and the host does not say whose a token is.
    func withTwoAccounts() -> VerbFixture {
        stored(expiresIn: 3_600)
        stored(expiresIn: 3_600, user: "hubot")
        doubles.transport.otherwise = .page(status: 502)
        return VerbFixture(doubles)
    }
}
