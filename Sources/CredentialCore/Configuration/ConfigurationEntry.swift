/// A line of git's configuration, as printed by `git config --list --show-scope -z`.
package struct ConfigurationEntry: Equatable {
    /// The section in lower case.
    package let section: String
    /// The URL, or a part of one; `nil` for the plain form.
    package let subsection: String?
    /// The key in lower case.
    package let key: String
    /// The value; `nil` for a key without `=`.
    package let value: String?

    package init(section: String, subsection: String? = nil, key: String, value: String?) {
        self.section = section
        self.subsection = subsection
        self.key = key
        self.value = value
    }

    package var effectiveValue: String { value ?? "true" }
    package var name: String { ([section] + (subsection.map { [$0] } ?? []) + [key]).joined(separator: ".") }

    /// Parses the list: for each entry the scope and a NUL, then the name, an optional LF and value, and a NUL; with
    /// origins, one of these and a NUL stand between the two.
    ///
    /// Other sections than ours are skipped, so a large file costs one look at each byte. Entries of a repository's own
    /// files are dropped, because its author must not decide where a token goes; a `credential.interactive` that turns
    /// sign-in off is kept.
    ///
    /// - Throws: `.failed` for a truncated list; `.notText` for a line of the person's own that is not UTF-8, since
    ///   without it a proxy might be bypassed.
    package static func parse(
        _ list: [UInt8], withOrigins: Bool = false
    ) throws(ConfigurationError) -> [ConfigurationEntry] {
        var entries: [ConfigurationEntry] = []
        var rest = list[...]
        while !rest.isEmpty {
            guard let scope = takeField(&rest), !withOrigins || takeField(&rest) != nil, let line = takeField(&rest)
            else { throw .failed }
            guard isOfInterest(line) else { continue }
            let entry = ConfigurationEntry(line: line)
            guard isTrusted(scope: scope) else {
                if let entry, entry.onlySilences, entries.last != entry { entries.append(entry) }
                continue
            }
            guard let entry = entry ?? askPass(line) else { throw .notText(key: shownKey(line)) }
            entries.append(entry)
        }
        return entries
    }

    /// Whether a scope's entries are the person's or the system's; `local` and `worktree` are not.
    package static func isTrusted(scope: some Sequence<UInt8>) -> Bool {
        ["system", "global", "command"].contains { scope.elementsEqual($0.utf8) }
    }

    private static func takeField(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }

    private static func isOfInterest(_ line: ArraySlice<UInt8>) -> Bool { sections.contains { line.starts(with: $0) } }

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

    private static func shownKey(_ line: ArraySlice<UInt8>) -> String {
        let name = line.prefix { $0 != UInt8(ascii: "\n") }
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return [parts.first, parts.last].compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
            .joined(separator: ".")
    }

    private var onlySilences: Bool {
        section == "credential" && subsection == nil && key == "interactive"
            && Interactivity.isNever(effectiveValue)
    }

    /// Returns `nil` if the line is not UTF-8 or has no name.
    package init?(line: ArraySlice<UInt8>) {
        let nameEnd = line.firstIndex(of: UInt8(ascii: "\n"))
        guard let name = String(validating: line[..<(nameEnd ?? line.endIndex)], as: UTF8.self),
            let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")),
            let lastDot = name.utf8.lastIndex(of: UInt8(ascii: "."))
        else { return nil }
        section = String(name[..<dot])
        subsection = dot == lastDot ? nil : String(name[name.utf8.index(after: dot)..<lastDot])
        key = String(name[name.utf8.index(after: lastDot)...])
        value = nameEnd.flatMap { String(validating: line[($0 + 1)...], as: UTF8.self) }
        guard nameEnd == nil || value != nil else { return nil }
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

    /// Parses scope, origin and line of each entry, each followed by a NUL; skips entries that are not UTF-8.
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

/// A file of git's configuration, named like the option of git-config(1).
package enum ConfigurationScope: Hashable {
    case global
    case system
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

/// The reason why the configuration is unknown; no decision may rely on it.
package enum ConfigurationError: Error, Equatable {
    case noGit
    case failed
    case timedOut(seconds: Int)
    case tooLarge(mebibytes: Int)
    /// A file of the person's own that may not be opened; git skips it silently.
    case notPermitted(String)
    /// The key whose value or URL is not UTF-8.
    case notText(key: String)
    /// A restricting setting with an unknown value, which would allow more if it were ignored.
    case unknownValue(SettingKey, String)
}

package enum ConfigurationEdit: Equatable {
    case nothing
    case write([UInt8])
    case delete
}

package enum ConfigurationFileError: Error, Equatable {
    case unread(ConfigurationError)
    /// git cannot parse the file, or the text that we were about to write.
    case unreadable
    case noHome
    /// git finds no repository in the current folder, or does not trust its owner.
    case noRepository
    /// The repository's configuration, to which a link or a file of the current folder leads elsewhere.
    case elsewhere(String)
    case folderMissing(String)
    case noFolder(String, reason: String)
    /// The path of the lock of another program, which is writing or has crashed.
    case locked(String)
    case notPermitted(String)
    /// The folder where we, like git, create a lock file.
    case folderNotPermitted(String)
    case failed(String, reason: String)
    /// The written file, which git does not read, or in which a later line overrides the change.
    case notTakenUp(String)
    case noCommand
}
