/// One line of git's configuration, as printed by `git config --list --show-scope -z`.
package struct ConfigurationEntry: Equatable {
    /// Lower case: `credential`, `http`, ….
    package let section: String
    /// The part between section and key: a URL, or a part of one; nil for the plain form.
    package let subsection: String?
    /// Lower case.
    package let key: String
    /// Nil for a key without `=`, which git reads as true.
    package let value: String?

    package init(section: String, subsection: String? = nil, key: String, value: String?) {
        self.section = section
        self.subsection = subsection
        self.key = key
        self.value = value
    }

    /// As git reads it: a key without `=` is true.
    package var effectiveValue: String { value ?? "true" }

    /// As `git config` takes it: section, subsection and key.
    package var name: String { ([section] + (subsection.map { [$0] } ?? []) + [key]).joined(separator: ".") }

    /// For each entry the scope and a NUL, then the name, an optional LF and value, and a NUL.
    ///
    /// Only what is used is kept: four sections, and `core.askPass`, the program by which git asks. So a repository's
    /// file of any size costs no more than one look at each byte. Entries from a repository's own files are left out,
    /// because the author of a repository must not decide where a token goes. The one exception is a
    /// `credential.interactive` that turns sign-in off: it can only stop us from asking, whatever the person has
    /// configured.
    ///
    /// - Throws: `.failed` for a list that is cut off, `.notText` for a line of the person's own that is not UTF-8: if
    ///   it were treated as unset, a proxy might be bypassed.
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

    /// Every scope except `local`, `worktree` and those that git does not name.
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

    /// A path in another encoding: nobody here runs it, and that there is one is all that is asked.
    private static func askPass(_ line: ArraySlice<UInt8>) -> ConfigurationEntry? {
        let name = Array("core.askpass\n".utf8)
        guard line.starts(with: name) else { return nil }
        let value = String(decoding: line.dropFirst(name.count), as: UTF8.self)
        return ConfigurationEntry(section: "core", key: "askpass", value: value)
    }

    /// Only the section and the key: the part between them may be what is not UTF-8.
    private static func shownKey(_ line: ArraySlice<UInt8>) -> String {
        let name = line.prefix { $0 != UInt8(ascii: "\n") }
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return [parts.first, parts.last].compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
            .joined(separator: ".")
    }

    /// An entry that turns sign-in off.
    private var onlySilences: Bool {
        section == "credential" && subsection == nil && key == "interactive"
            && Interactivity.isNever(value ?? "true")
    }

    /// The name, and an optional LF and value; nil if it is not UTF-8 or has no name.
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

/// An entry with the file it stands in, as `git config --list --show-scope --show-origin -z` tells it.
package struct OriginatedEntry: Equatable {
    /// `system`, `global`, `local`, `worktree` or `command`.
    package let scope: String
    /// The file, or what git says instead of one, such as `command line:`.
    package let origin: String
    package let entry: ConfigurationEntry

    package init(scope: String, origin: String, entry: ConfigurationEntry) {
        self.scope = scope
        self.origin = origin
        self.entry = entry
    }

    package var isTrusted: Bool { ConfigurationEntry.isTrusted(scope: scope.utf8) }
    package var isInPersonsFile: Bool { ["system", "global"].contains(scope) && origin.hasPrefix("/") }

    /// For each line the scope, the origin and the line, with a NUL behind each; what is not UTF-8 is left out.
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

/// A file, by the option of git-config(1) that chooses it.
package enum ConfigurationScope: Hashable {
    case global
    case system
    /// Of the current repository.
    case local
    case file(String)

    /// As `--show-scope` names it.
    package var name: String {
        switch self {
        case .global: "global"
        case .system: "system"
        case .local: "local"
        case .file: "command"
        }
    }
}

/// No decision may then rely on what is or is not configured; an empty configuration is not an error.
package enum ConfigurationError: Error, Equatable {
    case noGit
    case failed
    case timedOut(seconds: Int)
    case tooLarge(mebibytes: Int)
    /// A file of the person's own that this process may not open; git skips it silently.
    case notPermitted(String)
    /// The value or the URL of this key.
    case notText(key: String)
    /// A value that a setting does not have; only for settings that restrict, since ignoring it would allow more.
    case unknownValue(SettingKey, String)
}

package enum ConfigurationEdit: Equatable {
    case nothing
    case write([UInt8])
    case delete
}

package enum ConfigurationFileError: Error, Equatable {
    case unread(ConfigurationError)
    /// By git: the text that was about to be written.
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
