/// A GitHub App that acts in its own name, and where it is installed.
package struct InstalledApp: Sendable {
    /// The app's ID.
    package let id: String
    /// Its public key, in PEM.
    package var publicKey: String
    /// Where it is installed.
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
        /// The repositories that it includes, by name; nil for all of the owner's.
        package var repositories: [String]?
        package var isSuspended = false
        /// What the app may do.
        package var permissions = ["contents": "write", "metadata": "read"]
        /// For how many seconds its tokens are good.
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
    /// Makes a token of an installation.
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
