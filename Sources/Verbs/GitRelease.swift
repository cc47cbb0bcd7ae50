internal import CredentialCore

/// git's version, from what `git version` prints: `git version 2.39.5 (Apple Git-154)`.
struct GitRelease {
    let major: Int64
    let minor: Int64

    /// Nil for what no git prints.
    init?(_ output: [UInt8]) {
        let prefix = Array("git version ".utf8)
        guard output.starts(with: prefix) else { return nil }
        let parts = output.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
            .split(separator: UInt8(ascii: "."))
        guard parts.count >= 2, let major = DecimalNumber.parse(parts[0]), let minor = DecimalNumber.parse(parts[1])
        else { return nil }
        self.major = major
        self.minor = minor
    }

    /// Whether it supports all that a minor version of git 2 does.
    func knows(minor: Int64) -> Bool { (major, self.minor) >= (2, minor) }

    /// Whether it supports `http.<url>.proactiveAuth`.
    var knowsProactiveAuthentication: Bool { knows(minor: 46) }

    /// As shown to people.
    var shown: DisplayText { "\(major).\(minor)" }
}
