package import CredentialCore
internal import Helper
internal import Verbs

/// git's files in memory, with the syntax that the tests of configuring need.
package final class InMemoryConfigurationFiles: ConfigurationFiles {
    /// The files' texts; a missing file has none.
    package var texts: [ConfigurationScope: String] = [:]
    /// Lines of other files, which come after those of the two.
    package var others: [OriginatedEntry] = []
    /// The command by which git can call this program, or a path in its place.
    package var ownCommand: HelperCommand? = .short
    package var isOnPath = true
    package var version: String? = "git version 2.47.3\n"
    package var programs: Set<String> = []
    package var fault: ConfigurationFileError?
    /// Whether git reads the system's file.
    package var isFollowed = true
    package private(set) var writes = 0
    /// The git directory of the current repository, or `nil` outside of one.
    package var gitDirectory: String?
    /// An action of another process, once, just before we have the lock.
    package var beforeLock: () -> Void = {}
    package init() {}

    package func entries() throws(ConfigurationFileError) -> [OriginatedEntry] {
        let scopes: [ConfigurationScope] = isFollowed ? [.system, .global] : [.global]
        return scopes.flatMap { Self.entries(texts[$0] ?? "", $0) }.flatMap { [$0] + included($0) }
            + Self.entries(texts[.local] ?? "", .local) + others
    }

    private func included(_ line: OriginatedEntry) -> [OriginatedEntry] {
        guard line.entry.section == "includeif", let folder = line.entry.subsection?.dropFirst("gitdir:".count),
            gitDirectory?.hasPrefix(folder) == true, let file = line.entry.value
        else { return [] }
        let text = texts[.file("/\(file)")] ?? ""
        return Self.entries(text, .global).map { OriginatedEntry(scope: "global", origin: "/\(file)", entry: $0.entry) }
    }

    package func entries(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [ConfigurationEntry] {
        Self.entries(texts[scope] ?? "", scope).map(\.entry)
    }

    package func path(of scope: ConfigurationScope) throws(ConfigurationFileError) -> String {
        switch scope {
        case .local:
            guard let gitDirectory else { throw .noRepository }
            return gitDirectory + "/config"
        case .file(let path): return path
        case .global, .system: return "/\(scope.name)"
        }
    }

    package func folder(_ path: String, orGone isGone: Bool) throws(ConfigurationFileError) -> String {
        guard path.hasPrefix("/") else { throw .folderMissing(path) }
        return path
    }

    package func contents(of scope: ConfigurationScope) throws(ConfigurationFileError) -> [UInt8]? {
        texts[scope].map { Array($0.utf8) }
    }

    package func edit(
        _ scope: ConfigurationScope, _ change: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError) {
        if let fault { throw fault }
        let sibling = beforeLock
        beforeLock = {}
        sibling()
        switch try change(contents(of: scope)) {
        case .nothing: return
        case .write(let text): texts[scope] = String(decoding: text, as: UTF8.self)
        case .delete: texts[scope] = nil
        }
        writes += 1
    }

    package func gitVersion() -> [UInt8]? { version.map { Array($0.utf8) } }
    package func isProgram(_ path: String) -> Bool { programs.contains(path) }

    package func set(_ key: String, to value: String, in scope: ConfigurationScope) throws(ConfigurationFileError) {
        if let fault { throw fault }
        let (section, name) = Self.line(of: key)
        try unset(key, in: scope)
        texts[scope, default: ""] += "\(section)\n\t\(name) = \(value)\n"
    }

    private static func line(of key: String) -> (section: String, name: Substring) {
        let parts = key.split(separator: ".", omittingEmptySubsequences: false)
        return ("[\(parts[0]) \"\(parts.dropFirst().dropLast().joined(separator: "."))\"]", parts.last ?? "")
    }

    package func unset(_ key: String, in scope: ConfigurationScope) throws(ConfigurationFileError) {
        if let fault { throw fault }
        let (section, name) = Self.line(of: key)
        var isInside = false
        let lines = texts[scope]?.split(separator: "\n").filter { line in
            if line.hasPrefix("[") { isInside = line == section }
            return !(isInside && line.drop { " \t".contains($0) }.hasPrefix("\(name) ="))
        }
        // git leaves no section empty.
        let kept = lines?.enumerated().filter { index, line in
            line != section || lines?.dropFirst(index + 1).first.map { !$0.hasPrefix("[") } ?? false
        }
        texts[scope] = kept?.map { $0.element + "\n" }.joined()
    }

    private static func entries(_ text: String, _ scope: ConfigurationScope) -> [OriginatedEntry] {
        var section = ""
        var subsection: String?
        return text.split(separator: "\n").compactMap { line in
            let line = String(line.drop { " \t".contains($0) })
            if line.hasPrefix("[") {
                let parts = line.dropFirst().dropLast().split(separator: " ", maxSplits: 1)
                section = parts[0].lowercased()
                subsection = parts.count > 1 ? String(parts[1].dropFirst().dropLast()) : nil
                return nil
            }
            guard let equals = line.firstIndex(of: "="), !line.hasPrefix("#") else { return nil }
            let value = line[line.index(after: equals)...].drop { $0 == " " }
            return OriginatedEntry(
                scope: scope.name, origin: scope == .local ? ".git/config" : "/\(scope.name)",
                entry: ConfigurationEntry(
                    section: section, subsection: subsection, key: line[..<equals].lowercased().filter { $0 != " " },
                    value: value.filter { $0 != "\"" }))
        }
    }
}

extension OriginatedEntry {
    /// One line of a file, as git lists it.
    package init(
        _ scope: String, _ origin: String, _ section: String, _ subsection: String?, _ key: String, _ value: String
    ) {
        self.init(
            scope: scope, origin: origin,
            entry: ConfigurationEntry(section: section, subsection: subsection, key: key, value: value))
    }
}

/// Files of other tools by their paths, with `nil` for one that cannot be read.
package final class InMemoryForeignFiles: ForeignFiles {
    package var texts: [String: String?] = [:]
    package init() {}

    package func contents(of path: String) -> FileContents {
        guard let text = texts[path] else { return .absent }
        return text.map { .contents(Secret($0)) } ?? .unreadable
    }
}

package final class InMemoryForeignKeyring: ForeignKeyring {
    package var items: [ForeignItem] = []
    package var fault: KeyringError?
    package init() {}

    package func put(_ secret: String, _ attributes: (String, String)...) {
        items.append(
            ForeignItem(attributes: attributes.map { ($0.0, Array($0.1.utf8)) }, modified: 0, secret: Secret(secret)))
    }

    package func foreignItems(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem]
    {
        if let fault { throw fault }
        return items.filter { item in attributes.allSatisfy { item[$0.name] == $0.value } }
    }
}
