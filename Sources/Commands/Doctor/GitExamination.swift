internal import CredentialCore
internal import Helper
internal import Messages

/// Which git it is, and what it does not know yet.
struct GitExamination {
    private let inspections: Inspections

    init(with inspections: Inspections) { self.inspections = inspections }

    /// What git learnt when (git's release notes), by the names of gitcredentials(7).
    private static let lessons: [(minor: Int64, name: String)] = [
        (40, "password_expiry_utc"), (41, "oauth_refresh_token"), (46, "state[]"),
    ]

    /// git's version, and what it lacks: nothing that it could not do without.
    var version: Diagnosis {
        guard let numbers = inspections.gitVersion().flatMap(Self.numbers) else {
            return Diagnosis(
                .git, .fail, Message("git does not say its version"),
                [Message("install it, or put it on the PATH:"), .command("sudo apt install git")])
        }
        let text = "\(numbers.major).\(numbers.minor)"
        let missing = Self.lessons.filter { (numbers.major, numbers.minor) < (2, $0.minor) }
        guard !missing.isEmpty else {
            return Diagnosis(.git, .ok, Message("git %1$s knows all that a helper can tell it", text))
        }
        let names = missing.map { "\($0.name) (2.\($0.minor))" }.joined(separator: ", ")
        return Diagnosis(.git, .warn, Message("git %1$s works, but does not know yet: %2$s", text, names))
    }

    /// Reads `git version 2.39.5 (Apple Git-154)`.
    private static func numbers(_ output: [UInt8]) -> (major: Int64, minor: Int64)? {
        let prefix = Array("git version ".utf8)
        guard output.starts(with: prefix) else { return nil }
        let parts = output.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
            .split(separator: UInt8(ascii: "."))
        guard parts.count >= 2, let major = DecimalNumber.parse(parts[0]), let minor = DecimalNumber.parse(parts[1])
        else { return nil }
        return (major, minor)
    }
}
