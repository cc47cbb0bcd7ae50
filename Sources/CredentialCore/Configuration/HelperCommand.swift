/// The value of `helper =` that names this program (gitcredentials(7)).
///
/// git runs `git credential-gitspace` for the short name `gitspace`, and a value that begins with a slash as a shell
/// command. It does not treat `~/bin/…` as an absolute path.
package struct HelperCommand: Equatable {
    /// The value without the file's quotes.
    package let value: String
    package static let short = HelperCommand(value: "gitspace")

    /// Makes the command for an absolute path; returns `nil` if a line cannot contain the path.
    ///
    /// Symbolic links stay: their targets can disappear with the next upgrade.
    package init?(path: String) {
        guard path.hasPrefix("/"), !path.utf8.contains(where: ASCII.isControl) else { return nil }
        // Backslashes instead of quotation marks keep the slash the first character.
        value = path.unicodeScalars.map { DisplayText.isPlainWord($0) ? String($0) : "\\\($0)" }.joined()
    }

    private init(value: String) { self.value = value }
    package var quotedForFile: String { Self.quotedForFile(value) }

    /// The value quoted for the file (git-config(1), "Values"), by scalars: a combining mark would hide a backslash.
    package static func quotedForFile(_ value: String) -> String {
        let escaped = value.unicodeScalars.map { "\\\"".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
        return escaped.utf8.contains { "#; ".utf8.contains($0) } ? "\"\(escaped)\"" : escaped
    }

    package static func isOurs(_ value: String) -> Bool {
        value == short.value || path(in: value)?.hasSuffix("/git-credential-gitspace") == true
    }

    /// The path in a value, or `nil` for a short name or anything more than a path.
    package static func path(in value: String) -> String? {
        guard value.hasPrefix("/") else { return nil }
        var path = ""
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if !isEscaped, scalar == "\\" {
                isEscaped = true
                continue
            }
            guard isEscaped || !" \"'$`;&|<>()*?".unicodeScalars.contains(scalar) else { return nil }
            path.unicodeScalars.append(scalar)
            isEscaped = false
        }
        return path
    }
}
