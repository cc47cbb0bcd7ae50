internal import CredentialCore
internal import Helper

/// A folder whose repositories use an account of their own, by `includeIf "gitdir:…"` (git-config(1)).
///
/// The line includes a file beside the person's configuration.
struct AccountFolder: Equatable {
    /// The absolute path without symbolic links, which git compares with a repository's git directory.
    let path: String
    /// The file's name in the folder of the person's configuration.
    let file: String

    fileprivate static let mark = "-gitspace-"

    /// `configuration` is the path of the person's configuration.
    init(_ path: String, beside configuration: String) {
        self.path = path
        let last = path.split(separator: "/").last ?? "root"
        let word = last.utf8.map { ASCII.isLetterOrDigit($0, or: "-_.") ? $0 : UInt8(ascii: "-") }
        var digest = SHA256()
        digest.update(path.utf8)
        let name = configuration.split(separator: "/").last ?? ""
        // The digest distinguishes folders with the same name.
        let distinction = String(decoding: digest.finish().prefix(8), as: UTF8.self)
        file = "\(name)\(Self.mark)\(String(decoding: word, as: UTF8.self))-\(distinction)"
    }

    // MARK: The lines

    /// The escaped pattern (gitignore(5)), with quotes and backslashes escaped for the file as well.
    var subsection: String {
        "gitdir:" + Self.escaped(Self.escaped(path == "/" ? path : path + "/", Self.special), "\\\"")
    }

    private static let special = "*?[\\"

    private static let settingHead = "path = "

    /// git reads the name as relative to the file of this line.
    var setting: String { "\(Self.settingHead)\"\(Self.escaped(file, "\\\""))\"" }
    var lines: [String] { ["[includeIf \"\(subsection)\"]", "\t\(setting)"] }

    /// Returns the file that one of our lines names, or `nil` for any other line.
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

    // MARK: Folder of a line

    /// Returns the folder whose `includeIf "gitdir:…/"`, ours or not, makes git read a line, if there is one.
    static func path(of line: OriginatedEntry, among entries: [OriginatedEntry]) -> String? {
        guard line.scope == "global" else { return nil }
        let conditions = entries.filter {
            $0.scope == "global" && $0.entry.section == "includeif" && $0.entry.key == "path"
                && $0.origin != line.origin
                && line.origin.hasSuffix("/" + $0.entry.effectiveValue.drop { "~/".contains($0) })
        }.map { $0.entry.subsection ?? "" }
        // Several folders may include the same file.
        guard conditions.count == 1, conditions[0].hasPrefix("gitdir:") else { return nil }
        let pattern = conditions[0].dropFirst("gitdir:".count)
        let path = unescaped(pattern)
        guard path.hasSuffix("/"), escaped(path, special).utf8.elementsEqual(pattern.utf8) else { return nil }
        return path == "/" ? path : String(path.dropLast())
    }
}

extension ConfigurationFiles {
    func accountFolder(_ path: String, orGone isGone: Bool = false) throws(ConfigurationFileError) -> AccountFolder {
        AccountFolder(try folder(path, orGone: isGone), beside: try self.path(of: .global))
    }

    private func scope(_ file: String) throws(ConfigurationFileError) -> ConfigurationScope {
        let configuration = try path(of: .global)
        let name = configuration.utf8.lastIndex(of: UInt8(ascii: "/")).map(configuration.utf8.index(after:))
        return .file(configuration[..<(name ?? configuration.startIndex)] + file)
    }

    /// No entries if the folder's own file does not exist.
    func entries(of folder: AccountFolder) throws(ConfigurationFileError) -> [ConfigurationEntry] {
        try entries(of: scope(folder.file))
    }

    func set(_ keys: [String], to value: String, below folder: AccountFolder) throws(ConfigurationFileError) -> String {
        let scope = try scope(folder.file)
        let before = try contents(of: scope)
        do {
            // git reads the folder's file only after the line that includes it was added.
            try edit(.global) { text throws(ConfigurationFileError) in
                for key in keys { try set(key, to: value, in: scope) }
                return HelperSection.addFolder(folder, to: text)
            }
        } catch {
            if try contents(of: scope) != before { try edit(scope) { _ in before.map { .write($0) } ?? .delete } }
            throw error
        }
        return try path(of: scope)
    }

    /// Moves the lines that include the files of folders behind newly set keys, which would outrank them.
    func keepFolders(behind keys: [String]) throws(ConfigurationFileError) {
        let lines = try entries(of: .global)
        let first = lines.firstIndex { $0.section == "includeif" && $0.effectiveValue.contains(AccountFolder.mark) }
        guard let first, lines[first...].contains(where: { keys.contains($0.name) }) else { return }
        try edit(.global) { HelperSection.addFolder(nil, to: $0) }
    }

    /// Removes keys of a folder, and its file with the line that includes it, unless the person added other lines.
    ///
    /// - Returns: whether there were any of the keys.
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

    /// Removes the accounts of all folders, and their files unless the person added other lines.
    ///
    /// - Returns: a message for each file, and the subsections of the folders whose files stay.
    func clearFolders(isDryRun: Bool) throws(ConfigurationFileError) -> (said: [Message], kept: [String]) {
        var said: [Message] = []
        var kept: [String] = []
        let ours = HelperSection.remove(from: try contents(of: .global) ?? []) { kind, _ in kind == .folder }
        for (subsection, file) in zip(ours.urls, ours.lines.compactMap(AccountFolder.file(in:))) {
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
