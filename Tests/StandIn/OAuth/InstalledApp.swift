import CStandIn
import FoundationEssentials

/// A GitHub App that acts in its own name, and its installations.
package struct InstalledApp: Sendable {
    package let id: String
    /// The app's public key, in PEM.
    package var publicKey: String
    package var installations: [Installation]

    package init(id: String, publicKey: String, installations: [Installation]) {
        self.id = id
        self.publicKey = publicKey
        self.installations = installations
    }

    package struct Installation: Sendable, Equatable {
        package let id: Int
        package let owner: String
        /// The names of its repositories; `nil` for all of the owner's.
        package var repositories: [String]?
        package var isSuspended = false
        package var permissions = ["contents": "write", "metadata": "read"]
        /// The lifetime of its tokens, in seconds.
        package var lifetime = 3_600.0

        package init(id: Int, owner: String, repositories: [String]? = nil) {
            self.id = id
            self.owner = owner
            self.repositories = repositories
        }

        func includes(owner: String, name: String) -> Bool {
            owner.lowercased() == self.owner.lowercased() && repositories?.contains(name) ?? true
        }
    }
}

extension AuthorizationServer {
    mutating func issue(
        for installation: InstalledApp.Installation, of app: InstalledApp, repositories: [String]?,
        permissions: [String: String]?, now: Double
    ) -> IssuedToken {
        var token = IssuedToken(
            accessToken: RandomText.token("ghs_"), refreshToken: nil, clientID: app.id, login: "\(app.id)[bot]",
            scopes: [], accessExpiry: now + installation.lifetime, refreshExpiry: nil)
        token.installation = installation
        token.repositories = repositories
        token.permissions = permissions ?? installation.permissions
        tokens.append(token)
        issuedSecrets.append(token.accessToken)
        return token
    }
}

/// Apps' signed assertions, which are JSON Web Tokens, checked as GitHub does.
enum AppAssertion {
    /// The reason of a refusal, in GitHub's words.
    struct Refusal: Error { let message: String }

    private struct Header: Decodable { let alg: String }

    private struct Claims: Decodable {
        let iss: String
        let iat: Int
        let exp: Int
    }

    /// The issuer of an assertion, whose signature (by OpenSSL) and times are right.
    static func issuer(of text: String, apps: [String: InstalledApp], now: Double) throws(Refusal) -> InstalledApp {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header: Header = decoded(parts[0]), header.alg == "RS256",
            let claims: Claims = decoded(parts[1]), let signature = bytes(parts[2])
        else { throw Refusal(message: "A JSON web token could not be decoded") }
        guard let app = apps[claims.iss] else { throw Refusal(message: "Integration not found") }
        guard verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8), key: app.publicKey) else {
            throw Refusal(message: "A JSON web token could not be decoded")
        }
        guard Double(claims.iat) <= now else {
            throw Refusal(
                message:
                    "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
        }
        guard Double(claims.exp) > now, Double(claims.exp) <= now + 600, claims.exp - claims.iat <= 600 else {
            throw Refusal(message: "'Expiration time' claim ('exp') is too far in the future")
        }
        return app
    }

    private static func decoded<Value: Decodable>(_ part: String) -> Value? {
        bytes(part).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
    }

    /// Decodes base64url without padding (RFC 7515, 2).
    private static func bytes(_ part: String) -> [UInt8]? {
        let text = String(part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)).map {
            Array($0)
        }
    }

    private static func verifies(_ signature: [UInt8], of message: [UInt8], key: String) -> Bool {
        let pem = Array(key.utf8)
        let buffer = BIO_new_mem_buf(pem, Int32(pem.count))
        defer { BIO_free(buffer) }
        let key = PEM_read_bio_PUBKEY(buffer, nil, nil, nil)
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard key != nil, EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
