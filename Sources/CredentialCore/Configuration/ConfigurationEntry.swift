/// One line of git's configuration, as printed by `git config --list --show-scope -z`.
package struct ConfigurationEntry: Equatable {
    /// The section in lower case: `credential`, `http`, ….
    package let section: String
    /// The part between section and key, a URL or a part of one, or `nil` for the plain form.
    package let subsection: String?
    /// The key in lower case.
    package let key: String
    /// The value, or `nil` for a key without `=`, which git reads as true.
    package let value: String?

    package init(section: String, subsection: String? = nil, key: String, value: String?) {
        self.section = section
        self.subsection = subsection
        self.key = key
        self.value = value
    }

    /// The value as git reads it: a key without `=` is true.
    package var effectiveValue: String { value ?? "true" }

    /// The whole name, as `git config` takes it.
    package var name: String { ([section] + (subsection.map { [$0] } ?? []) + [key]).joined(separator: ".") }

    /// Parses the list: for each entry the scope and a NUL, then the name, an optional LF and value, and a NUL.
    ///
    /// Keeps four sections and `core.askPass` only, so a repository's file of any size costs one look at each byte.
    /// Entries of a repository's own files are dropped, because its author must not decide where a token goes, except
    /// for a `credential.interactive` that turns sign-in off: it can only stop us from asking.
    ///
    /// - Throws: `.failed` for a truncated list, `.notText` for a line of the person's own that is not UTF-8: if it
    ///   were ignored, a proxy might be bypassed.
    package static func parse(_ list: [UInt8]) throws(ConfigurationError) -> [ConfigurationEntry] {
        var entries: [ConfigurationEntry] = []
        var rest = list[...]
        while !rest.isEmpty {
            guard let scope = takeField(&rest), let line = takeField(&rest) else { throw .failed }
            guard isOfInterest(line) else { continue }
            guard isTrusted(scope: scope) else {
                let entry = ConfigurationEntry(line: line)
                if let entry, entry.onlySilences, entries.last != entry { entries.append(entry) }
                continue
            }
            guard let entry = ConfigurationEntry(line: line) ?? askPass(line) else {
                throw .notText(key: shownKey(line))
            }
            entries.append(entry)
        }
        return entries
    }

    /// Whether entries of a scope are the person's or the system's: not `local`, `worktree`, or a scope that git does
    /// not name.
    package static func isTrusted(scope: some Sequence<UInt8>) -> Bool {
        ["system", "global", "command"].contains { scope.elementsEqual($0.utf8) }
    }

    private static func takeField(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }

    private static func isOfInterest(_ line: ArraySlice<UInt8>) -> Bool {
        sections.contains { line.starts(with: $0) }
    }

    private static let sections = ["credential.", "http.", "color.", "gitspace-share.", "core.askpass"].map {
        Array($0.utf8)
    }

    /// The entry for a path that is not UTF-8: only its existence matters, since it is never run.
    private static func askPass(_ line: ArraySlice<UInt8>) -> ConfigurationEntry? {
        let name = Array("core.askpass\n".utf8)
        guard line.starts(with: name) else { return nil }
        let value = String(decoding: line.dropFirst(name.count), as: UTF8.self)
        return ConfigurationEntry(section: "core", key: "askpass", value: value)
    }

    /// The section and the key, without the part between them, which may not be UTF-8.
    private static func shownKey(_ line: ArraySlice<UInt8>) -> String {
        let name = line.prefix { $0 != UInt8(ascii: "\n") }
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return [parts.first, parts.last].compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
            .joined(separator: ".")
    }

    /// Whether the entry turns sign-in off.
    private var onlySilences: Bool {
        section == "credential" && subsection == nil && key == "interactive"
            && Interactivity.isNever(value ?? "true")
    }

    /// Parses the name and an optional LF and value; returns `nil` if they are not UTF-8, or there is no name.
    package init?(line: ArraySlice<UInt8>) {
        let nameEnd = line.firstIndex(of: UInt8(ascii: "\n"))
        guard let name = String(validating: line[..<(nameEnd ?? line.endIndex)], as: UTF8.self),
            let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")),
            let lastDot = name.utf8.lastIndex(of: UInt8(ascii: "."))
        else { return nil }
        section = String(name[..<dot])
        subsection = dot == lastDot ? nil : String(name[name.utf8.index(after: dot)..<lastDot])
        key = String(name[name.utf8.index(after: lastDot)...])
        guard let nameEnd else {
            value = nil
            return
        }
        guard let value = String(validating: line[(nameEnd + 1)...], as: UTF8.self) else { return nil }
        self.value = value
    }
}

/// An entry with its file, as printed by `git config --list --show-scope --show-origin -z`.
package struct OriginatedEntry: Equatable {
    /// `system`, `global`, `local`, `worktree` or `command`.
    package let scope: String
    /// The file, or git's words for another source, such as `command line:`.
    package let origin: String
    package let entry: ConfigurationEntry

    package init(scope: String, origin: String, entry: ConfigurationEntry) {
        self.scope = scope
        self.origin = origin
        self.entry = entry
    }

    package var isTrusted: Bool { ConfigurationEntry.isTrusted(scope: scope.utf8) }
    package var isInPersonsFile: Bool { ["system", "global"].contains(scope) && origin.hasPrefix("/") }

    /// Parses scope, origin and line of each entry, each followed by a NUL; entries that are not UTF-8 are left out.
    package static func parse(_ list: [UInt8]) -> [OriginatedEntry] {
        let fields = list.split(separator: 0, omittingEmptySubsequences: false)
        return stride(from: 0, to: fields.count - 2, by: 3).compactMap { index in
            guard let origin = String(validating: fields[index + 1], as: UTF8.self),
                let entry = ConfigurationEntry(line: fields[index + 2])
            else { return nil }
            return OriginatedEntry(
                scope: String(decoding: fields[index], as: UTF8.self),
                origin: origin.hasPrefix("file:") ? String(origin.dropFirst("file:".count)) : origin, entry: entry)
        }
    }
}

/// A file of git's configuration, by the option of git-config(1) that chooses it.
package enum ConfigurationScope: Hashable {
    case global
    case system
    /// The current repository's file.
    case local
    case file(String)

    /// The name that `--show-scope` prints.
    package var name: String {
        switch self {
        case .global: "global"
        case .system: "system"
        case .local: "local"
        case .file: "command"
        }
    }
}

/// The reason why the configuration is unknown, so that no decision may rely on it; an empty one is not an error.
package enum ConfigurationError: Error, Equatable {
    case noGit
    case failed
    case timedOut(seconds: Int)
    case tooLarge(mebibytes: Int)
    /// A file of the person's own may not be opened; git skips it silently.
    case notPermitted(String)
    /// The value or the URL of this key is not UTF-8.
    case notText(key: String)
    /// A setting has an unknown value; only for restricting settings, since ignoring it would allow more.
    case unknownValue(SettingKey, String)
}

package enum ConfigurationEdit: Equatable {
    case nothing
    case write([UInt8])
    case delete
}

package enum ConfigurationFileError: Error, Equatable {
    case unread(ConfigurationError)
    /// The text that git was about to write.
    case unreadable
    case noHome
    /// git finds no repository in the current folder, or does not trust its owner.
    case noRepository
    /// Something of the current repository leads to a file elsewhere.
    case elsewhere(String)
    case folderMissing(String)
    case noFolder(String, reason: String)
    /// Another program is writing, or crashed while it did; the path of the lock.
    case locked(String)
    case notPermitted(String)
    /// git writes a lock file into it, and so do we.
    case folderNotPermitted(String)
    case failed(String, reason: String)
    /// The file was written, but git reads another file, or something in it overrides the change.
    case notTakenUp(String)
    /// git has no name by which it could run this program.
    case noCommand
}
