/// An item of the keyring, as `keyring-control.py items` prints it.
package struct KeyringItem: Codable, Equatable {
    /// The text that password managers show.
    package let label: String
    /// The attributes to find the item by; readable even while the keyring is locked.
    package let attributes: [String: String]
    /// The secret, or `nil` if the item is locked.
    package let secret: String?

    package init(label: String, attributes: [String: String], secret: String?) {
        self.label = label
        self.attributes = attributes
        self.secret = secret
    }

    /// An item as gitspace and git's own helper write it, with these lines in its secret.
    package init(host: String, login: String, lines: [String]) {
        let place = host.split(separator: ":")
        var attributes = [
            "xdg:schema": "org.git.Password", "protocol": "https", "server": String(place[0]), "user": login,
        ]
        if place.count > 1 { attributes["port"] = String(place[1]) }
        self.init(label: "Git: https://\(host)/", attributes: attributes, secret: lines.joined(separator: "\n"))
    }

    package var password: String { lines.first ?? "" }

    /// The value of another line of the secret, such as `oauth_refresh_token`.
    package subscript(key: String) -> String? {
        lines.dropFirst().first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    /// A copy whose token expires at this time, in seconds since 1970, and that lacks the time of issue.
    package func ending(at expiry: Int) -> KeyringItem {
        let rest = lines.filter { !$0.hasPrefix("password_expiry_utc=") && !$0.hasPrefix("gitspace_issued=") }
        let secret = (rest + ["password_expiry_utc=\(expiry)"]).joined(separator: "\n")
        return KeyringItem(label: label, attributes: attributes, secret: secret)
    }

    private var lines: [String] {
        (secret ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
