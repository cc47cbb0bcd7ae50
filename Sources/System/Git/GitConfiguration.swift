package import CredentialCore
internal import Glibc

/// git's configuration, read from git itself with one call, when it is first needed.
package final class GitConfiguration {
    private var known: Result<[ConfigurationEntry], ConfigurationError>?

    package init() {}

    /// Whether `gitspaceStore` may be set: a look into the usual files and the environment, much cheaper than asking git.
    ///
    /// Files that they include are not looked into.
    package static var mayNameStore: Bool {
        let count = min(Environment["GIT_CONFIG_COUNT"].flatMap { Int($0) } ?? 0, 1_000)
        let variables =
            ["GIT_CONFIG_PARAMETERS"] + (0..<max(count, 0)).map { "GIT_CONFIG_KEY_\($0)" }
        return variables.contains { Environment[$0].map { namesStore(Array($0.utf8)) } ?? false }
            || (GitConfigurationList.globalFiles + ["/etc/gitconfig"]).contains { path in
                FileReader.beginning(of: path, atMost: 1 << 15).map(namesStore) ?? false
            }
    }

    private static func namesStore(_ text: [UInt8]) -> Bool {
        // Bit 5 set: letters in lower case, and no NUL, which would end the text early.
        let folded = [CChar](unsafeUninitializedCapacity: text.count + 1) { folded, count in
            for (index, byte) in text.enumerated() { folded[index] = CChar(truncatingIfNeeded: byte | 0x20) }
            folded[text.count] = 0
            count = text.count + 1
        }
        return strstr(folded, "gitspacestore") != nil
    }

    /// Those that the person and the system have set, in git's order, with the paths that they mean; an error is the same
    /// each time.
    package func entries() throws(ConfigurationError) -> [ConfigurationEntry] {
        let result = known ?? Result { () throws(ConfigurationError) in try Self.read().map(ConfiguredPath.resolved) }
        known = result
        return try result.get()
    }

    package static func read(
        within seconds: Int = GitConfigurationList.seconds, atMost mebibytes: Int = GitConfigurationList.mebibytes
    ) throws(ConfigurationError) -> [ConfigurationEntry] {
        try ConfigurationEntry.parse(
            GitConfigurationList.read("--show-scope", within: seconds, atMost: mebibytes))
    }
}

/// The list of all that git reads, and not `--get-regexp`, although only a part is needed: if a file cannot be opened,
/// `--get-regexp` warns and succeeds, and the person's settings then look as if they were not set.
package enum GitConfigurationList {
    package static let seconds = 5
    /// A repository's file may have any size; git lists one of this size in a second.
    package static let mebibytes = 64

    /// `options` say what the list should contain besides names and values.
    static func read(
        _ options: String..., within seconds: Int = seconds, atMost mebibytes: Int = mebibytes
    ) throws(ConfigurationError) -> [UInt8] {
        if let file = forbiddenFile { throw .notPermitted(file) }
        let list: Result<[UInt8], ChildProcess.Failure> = Result { () throws(ChildProcess.Failure) in
            try ChildProcess.run(
                ["git", "config", "--list", "-z"] + options, within: Int64(seconds) * 1_000, atMost: mebibytes << 20
            ).reveal { Array($0) }
        }
        switch list {
        case .success(let list): return list
        case .failure(.notStarted): throw .noGit
        case .failure(.failed): throw .failed
        case .failure(.timedOut): throw .timedOut(seconds: seconds)
        case .failure(.tooMuch): throw .tooLarge(mebibytes: mebibytes)
        }
    }

    /// The file of the person's own that git would silently skip because it may not be opened: `ACCESS_EACCES_OK` in
    /// git's config.c.
    private static var forbiddenFile: String? {
        globalFiles.first { access($0, R_OK) != 0 && errno == EACCES }
    }

    static var globalFiles: [String] {
        if let path = Environment["GIT_CONFIG_GLOBAL"] { return [path] }
        return [GlobalConfiguration.xdgPath, GlobalConfiguration.usualPath].compactMap(\.self)
    }
}

/// The global files, by the rules of git-config(1), "FILES".
enum GlobalConfiguration {
    /// Nil without a home directory.
    static var usualPath: String? { home.map { "\($0)/.gitconfig" } }

    /// git reads it before the usual one; nil if there is none.
    static var xdgPath: String? {
        let folder = Environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home.map { "\($0)/.config" }
        return folder.map { "\($0)/git/config" }
    }

    private static var home: String? { Environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } }
}

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

/// The socket of git's own `credential-cache`.
package enum CredentialCacheSocket {
    /// By git's own rules (`get_socket_path` in its builtin/credential-cache.c).
    package static var folder: String? {
        let home = Environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        if let former = home.map({ $0 + "/.git-credential-cache" }), FileStatus(former)?.kind == .directory {
            return former
        }
        let caches = Environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home.map { $0 + "/.cache" }
        return caches.map { $0 + "/git/credential" }
    }

    /// Without it there is no daemon, and nothing in its memory.
    package static var exists: Bool { folder.map { FileStatus($0 + "/socket") != nil } ?? false }
}
