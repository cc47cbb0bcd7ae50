/// An item of the keyring, as `keyring-control.py items` prints it.
package struct KeyringItem: Codable, Equatable {
    /// What a person reads in a password manager.
    package let label: String
    /// What it is found by; anybody may read it, even while the keyring is locked.
    package let attributes: [String: String]
    /// Nil if it is locked.
    package let secret: String?

    package init(label: String, attributes: [String: String], secret: String?) {
        self.label = label
        self.attributes = attributes
        self.secret = secret
    }

    /// The password or token: the first line of the secret.
    package var password: String { lines.first ?? "" }

    /// The value of another line of the secret, such as `oauth_refresh_token`.
    package subscript(key: String) -> String? {
        lines.dropFirst().first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    private var lines: [String] {
        (secret ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
