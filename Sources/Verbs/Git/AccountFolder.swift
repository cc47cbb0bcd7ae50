internal import CredentialCore
internal import Messages

/// A folder for whose repositories git uses an account of its own: by `includeIf "gitdir:…"` (git-config(1)), which
/// includes a file beside the person's configuration.
struct AccountFolder: Equatable {
    /// Absolute, without symbolic links: git compares it with the place of a repository's git directory.
    let path: String
    /// In the folder of the person's configuration.
    let file: String

    fileprivate static let mark = "-gitspace-"

    /// - Parameters:
    ///   - path: see above.
    ///   - configuration: the path of the person's configuration.
    init(_ path: String, beside configuration: String) {
        self.path = path
        let last = path.split(separator: "/").last ?? "root"
        let word = last.utf8.map { ASCII.isLetterOrDigit($0, or: "-_.") ? $0 : UInt8(ascii: "-") }
        var digest = SHA256()
        digest.update(path.utf8)
        let name = configuration.split(separator: "/").last ?? ""
        // Folders with the same name differ by it.
        let distinction = String(decoding: digest.finish().prefix(8), as: UTF8.self)
        file = "\(name)\(Self.mark)\(String(decoding: word, as: UTF8.self))-\(distinction)"
    }

    // MARK: The lines

    /// The pattern, with its special characters escaped (gitignore(5)), and then the quotes and backslashes of the file.
    var subsection: String { "gitdir:" + Self.escaped(pattern, "\\\"") }

    private var pattern: String { Self.escaped(path == "/" ? path : path + "/", Self.special) }

    private static let special = "*?[\\"

    private static let settingHead = "path = "

    /// git reads it as relative to the file in which it stands.
    var setting: String { "\(Self.settingHead)\"\(Self.escaped(file, "\\\""))\"" }

    /// The lines of the person's configuration that include the file.
    var lines: [String] { ["[includeIf \"\(subsection)\"]", "\t\(setting)"] }

    /// The file that one of our lines names; nil for any other line.
    static func file(in line: String) -> String? {
        guard line.hasPrefix(settingHead + "\""), line.hasSuffix("\"") else { return nil }
        let file = unescaped(line.dropFirst(settingHead.count + 1).dropLast())
        return file.contains(mark) && !file.contains("/") ? file : nil
    }

    private static let backslash = UInt8(ascii: "\\")

    private static func escaped(_ text: String, _ special: String) -> String {
        String(decoding: text.utf8.flatMap { special.utf8.contains($0) ? [backslash, $0] : [$0] }, as: UTF8.self)
    }

    private static func unescaped(_ text: some StringProtocol) -> String {
        var isEscaped = false
        let bytes = text.utf8.filter { byte in
            isEscaped = !isEscaped && byte == backslash
            return !isEscaped
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Why git reads a line

    /// The folder because of which git reads a line: that of an `includeIf "gitdir:…/"`, whoever has written it; nil for
    /// any other pattern.
    static func path(of line: OriginatedEntry, among entries: [OriginatedEntry]) -> String? {
        guard line.scope == "global" else { return nil }
        let name = line.origin.split(separator: "/").last
        let include = entries.last { entry in
            entry.scope == "global" && entry.entry.section == "includeif" && entry.entry.key == "path"
                && entry.entry.subsection?.hasPrefix("gitdir:") == true
                && entry.entry.value?.split(separator: "/").last == name
        }
        guard let pattern = include?.entry.subsection?.dropFirst("gitdir:".count) else { return nil }
        let path = unescaped(pattern)
        guard path.hasSuffix("/"), escaped(path, special).utf8.elementsEqual(pattern.utf8) else { return nil }
        return path == "/" ? path : String(path.dropLast())
    }
}

extension ConfigurationFiles {
    func accountFolder(_ path: String, orGone isGone: Bool = false) throws(ConfigurationFileError) -> AccountFolder {
        AccountFolder(try folder(path, orGone: isGone), beside: try self.path(of: .global))
    }

    /// The file of a folder, as it is edited.
    private func scope(_ file: String) throws(ConfigurationFileError) -> ConfigurationScope {
        let configuration = try path(of: .global)
        let name = configuration.utf8.lastIndex(of: UInt8(ascii: "/")).map(configuration.utf8.index(after:))
        return .file(configuration[..<(name ?? configuration.startIndex)] + file)
    }

    /// What a folder's own file sets; nothing if there is none.
    func entries(of folder: AccountFolder) throws(ConfigurationFileError) -> [ConfigurationEntry] {
        try entries(of: scope(folder.file))
    }

    /// Sets keys for a folder.
    func set(
        _ keys: [String], to value: String, below folder: AccountFolder
    ) throws(ConfigurationFileError) -> String {
        let scope = try scope(folder.file)
        let before = try contents(of: scope)
        do {
            // Nothing reads the folder's file before the line is there that includes it.
            try edit(.global) { text throws(ConfigurationFileError) in
                for key in keys { try set(key, to: value, in: scope) }
                let new = HelperSection.addFolder(folder, to: text)
                return new == text ? .nothing : new.map { .write($0) } ?? .nothing
            }
        } catch {
            if try contents(of: scope) != before { try edit(scope) { _ in before.map { .write($0) } ?? .delete } }
            throw error
        }
        return try path(of: scope)
    }

    /// Puts what includes the files of folders behind keys that were set, which would count instead.
    func keepFolders(behind keys: [String]) throws(ConfigurationFileError) {
        let lines = try entries(of: .global)
        let isFolder = { (line: ConfigurationEntry) in
            line.section == "includeif" && line.value.map { $0.contains(AccountFolder.mark) } == true
        }
        guard let first = lines.firstIndex(where: isFolder), lines[first...].contains(where: { keys.contains($0.name) })
        else { return }
        try edit(.global) { text in
            let new = HelperSection.addFolder(nil, to: text)
            return new == text ? .nothing : new.map { .write($0) } ?? .nothing
        }
    }

    /// Removes keys of a folder, and its file and the line that includes it unless the person has added something.
    ///
    /// - Returns: whether there was any of them.
    func unset(_ keys: [String], below folder: AccountFolder) throws(ConfigurationFileError) -> Bool {
        let scope = try scope(folder.file)
        let before = try entries(of: scope)
        for key in keys { try unset(key, in: scope) }
        let left = try entries(of: scope)
        if left.isEmpty {
            _ = try removeSections(from: .global) { $0 == .folder && $1.utf8.elementsEqual(folder.subsection.utf8) }
            try delete(scope)
        }
        return left != before
    }

    /// Removes the accounts of all folders, and their files unless the person has added something.
    ///
    /// - Returns: what happened to each file, and the subsections of the folders whose files stay.
    func clearFolders(isDryRun: Bool) throws(ConfigurationFileError) -> (said: [Message], kept: [String]) {
        var said: [Message] = []
        var kept: [String] = []
        for (subsection, file) in HelperSection.folders(in: try contents(of: .global) ?? []) {
            let scope = try scope(file)
            let lines = try entries(of: scope)
            let accounts = lines.filter { $0.section == "credential" && $0.key == "username" }
            let path = DisplayText(trusted: try path(of: scope))
            if accounts.count == lines.count {
                said.append(isDryRun ? Message("Would delete %1$s.", path) : Message("Deleted %1$s.", path))
            } else {
                kept.append(subsection)
                said.append(
                    isDryRun
                        ? Message("Would remove the account from %1$s.", path)
                        : Message("Removed the account from %1$s; your own lines stay.", path))
            }
            guard !isDryRun else { continue }
            for account in accounts { try unset(account.name, in: scope) }
            if accounts.count == lines.count { try delete(scope) }
        }
        return (said, kept)
    }

    private func delete(_ scope: ConfigurationScope) throws(ConfigurationFileError) {
        guard try contents(of: scope) != nil else { return }
        try edit(scope) { _ in .delete }
    }
}
