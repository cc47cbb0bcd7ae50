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

    /// An installation for one owner.
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
    /// Issues a token of an installation.
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
