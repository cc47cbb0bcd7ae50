internal import CredentialCore

/// A setting that is a path, as `git config --type=path` reads it: git-config(1), "pathname".
enum ConfiguredPath {
    private static let keys: Set = [
        "http.sslcainfo", "http.sslcapath", "http.sslcert", "http.sslkey",
        "credential.githubappkey", "credential.oauthclientkey",
    ]
    /// Known to git 2.52 and newer.
    private static let optional = ":(optional)"
    private static let patience: Int64 = 5_000

    /// Empty, and so not set, for an optional file that is missing; what git cannot expand stays as it is, and is no path.
    static func resolved(_ entry: ConfigurationEntry) -> ConfigurationEntry {
        guard keys.contains("\(entry.section).\(entry.key)"), let value = entry.value else { return entry }
        let isOptional = value.utf8.starts(with: optional.utf8)
        let text = isOptional ? String(value.dropFirst(optional.count)) : value
        let path = expanded(text) ?? text
        return ConfigurationEntry(
            section: entry.section, subsection: entry.subsection, key: entry.key,
            value: isOptional && FileStatus(path) == nil ? "" : path)
    }

    /// By git, which knows its own prefix and the homes of others; in no file, so that no repository has a say.
    private static func expanded(_ text: String) -> String? {
        guard ["~", "%(prefix)/"].contains(where: { text.utf8.starts(with: $0.utf8) }) else { return text }
        let command = [
            "git", "config", "--file", "/dev/null", "--type=path", "--default", text, "-z", "--get", "a.path",
        ]
        return ChildProcess.output(of: command, within: patience)
            .flatMap { String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
