package import CredentialCore
internal import Glibc

/// git's configuration, read from git with one call when first needed, or again after one of its files has changed.
package final class GitConfiguration {
    private var known: Known?
    private let followsChanges: Bool
    private(set) lazy var repository = RepositoryConfiguration()
    package init(followsChanges: Bool = false) { self.followsChanges = followsChanges }

    /// Whether `gitspaceStore` may be set, by a search in the usual files and the environment, without included files.
    ///
    /// This search is much cheaper than a call of git.
    package static var mayNameStore: Bool {
        let count = min(Environment["GIT_CONFIG_COUNT"].flatMap { Int($0) } ?? 0, 1_000)
        let variables = ["GIT_CONFIG_PARAMETERS"] + (0..<max(count, 0)).map { "GIT_CONFIG_KEY_\($0)" }
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

    /// The settings of the person and the system in git's order, with paths resolved; an error is thrown at each call.
    package func entries() throws(ConfigurationError) -> [ConfigurationEntry] { try current.entries.get() }

    /// Every line that git reads here, with its file.
    func lines() throws(ConfigurationError) -> [OriginatedEntry] { try current.lines.get() }

    /// Makes the next call read again.
    func forget() { known = nil }

    private var current: Known {
        if let known, !followsChanges || known.isUnchanged { return known }
        let read = Known(followsChanges)
        known = read
        return read
    }

    private final class Known {
        private let list: Result<[UInt8], ConfigurationError>
        let entries: Result<[ConfigurationEntry], ConfigurationError>
        private(set) lazy var lines = list.map(OriginatedEntry.parse)
        /// The files of the lines, and those that git would read if they were there.
        private var files: [(path: String, status: FileStatus?)]

        init(_ followsChanges: Bool) {
            // The usual files' status from before git reads them, so that a change in between is noticed next time.
            files = (GitConfigurationList.globalFiles + ["/etc/gitconfig"]).map { ($0, FileStatus($0)) }
            let list = Result { () throws(ConfigurationError) in
                try GitConfigurationList.read("--show-scope", "--show-origin")
            }
            entries = Result { () throws(ConfigurationError) in
                try ConfigurationEntry.parse(list.get(), withOrigins: true).map(ConfiguredPath.resolved)
            }
            self.list = list
            guard followsChanges else { return }
            let origins = Set(((try? lines.get()) ?? []).map(\.origin)).subtracting(files.map(\.path))
            files += origins.map { ($0, FileStatus($0)) }
        }

        var isUnchanged: Bool {
            files.allSatisfy { path, status in
                FileStatus(path).map { status?.isUnchanged($0) == true } ?? (status == nil)
            }
        }
    }

    package static func read(
        within seconds: Int = GitConfigurationList.seconds, atMost mebibytes: Int = GitConfigurationList.mebibytes
    ) throws(ConfigurationError) -> [ConfigurationEntry] {
        try ConfigurationEntry.parse(GitConfigurationList.read("--show-scope", within: seconds, atMost: mebibytes))
    }
}

/// Everything that git reads.
///
/// `--get-regexp` would be less, but only warns if a file cannot be opened: the person's settings would seem missing.
package enum GitConfigurationList {
    package static let seconds = 5
    /// git lists a file of this size in a second; a repository's file may have any size.
    package static let mebibytes = 64

    /// `options` add columns besides names and values.
    static func read(
        _ options: String..., within seconds: Int = seconds, atMost mebibytes: Int = mebibytes
    ) throws(ConfigurationError) -> [UInt8] {
        if let file = forbiddenFile { throw .notPermitted(file) }
        do throws(ChildProcess.Failure) {
            return try ChildProcess.run(
                ["git", "config", "--list", "-z"] + options, within: Int64(seconds) * 1_000, atMost: mebibytes << 20
            ).reveal { Array($0) }
        } catch {
            switch error {
            case .notStarted: throw .noGit
            case .failed: throw .failed
            case .timedOut: throw .timedOut(seconds: seconds)
            case .tooMuch: throw .tooLarge(mebibytes: mebibytes)
            }
        }
    }

    /// The person's file that git would silently skip without permission (`ACCESS_EACCES_OK` in git's config.c).
    private static var forbiddenFile: String? { globalFiles.first { access($0, R_OK) != 0 && errno == EACCES } }

    static var globalFiles: [String] {
        if let path = Environment["GIT_CONFIG_GLOBAL"] { return [path] }
        return [xdgPath, usualPath].compactMap(\.self)
    }

    /// `~/.gitconfig` (git-config(1), "FILES"), or `nil` without a home directory.
    static var usualPath: String? { home.map { "\($0)/.gitconfig" } }

    /// The XDG file, which git reads before the usual one, or `nil` without a home directory.
    static var xdgPath: String? {
        let folder = Environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home.map { "\($0)/.config" }
        return folder.map { "\($0)/git/config" }
    }

    private static var home: String? { Environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } }
}

/// git-config(1), "pathname", as `git config --type=path` reads it.
enum ConfiguredPath {
    private static let keys: Set = [
        "http.sslcainfo", "http.sslcapath", "http.sslcert", "http.sslkey",
        "credential.githubappkey", "credential.oauthclientkey",
    ]
    /// A prefix known to git 2.52 and newer.
    private static let optional = ":(optional)"

    /// A missing optional file becomes empty, as if not set; text that git cannot expand stays unchanged.
    static func resolved(_ entry: ConfigurationEntry) -> ConfigurationEntry {
        guard keys.contains("\(entry.section).\(entry.key)"), let value = entry.value else { return entry }
        let isOptional = value.utf8.starts(with: optional.utf8)
        let text = isOptional ? String(value.dropFirst(optional.count)) : value
        let path = expanded(text) ?? text
        return ConfigurationEntry(
            section: entry.section, subsection: entry.subsection, key: entry.key,
            value: isOptional && FileStatus(path) == nil ? "" : path)
    }

    /// Asks git, which knows its prefix and other users' homes; outside any file, so that no repository interferes.
    private static func expanded(_ text: String) -> String? {
        guard ["~", "%(prefix)/"].contains(where: { text.utf8.starts(with: $0.utf8) }) else { return text }
        let command = [
            "git", "config", "--file", "/dev/null", "--type=path", "--default", text, "-z", "--get", "a.path",
        ]
        return ChildProcess.output(of: command).flatMap { String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

package enum CredentialCacheSocket {
    /// The folder by git's own rules (`get_socket_path` in its builtin/credential-cache.c).
    package static var folder: String? {
        let home = Environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        if let former = home.map({ $0 + "/.git-credential-cache" }), FileStatus(former)?.kind == .directory {
            return former
        }
        let caches = Environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home.map { $0 + "/.cache" }
        return caches.map { $0 + "/git/credential" }
    }

    /// Without the socket, no daemon runs and nothing is cached.
    package static var exists: Bool { folder.map { FileStatus($0 + "/socket") != nil } ?? false }
}
