internal import CLocale
internal import Glibc

/// The character encoding of the person's terminal, as far as the environment tells.
package enum Charset {
    /// Whether it is UTF-8.
    ///
    /// The person's own variables decide, not `nl_langinfo(CODESET)`: the locale that `LANG` names may not have been
    /// generated here, as in containers. Its name is enough.
    ///
    /// `C`, `POSIX` and no name at all count as ASCII. The terminal of a container without `LANG` most likely shows
    /// UTF-8 anyway; but `[ok]` can be read on both, and a tick only on one.
    ///
    /// - Parameter environment: looks up a variable.
    /// - Returns: whether more than ASCII can be shown.
    package static func isUTF8(environment: (String) -> String?) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment)
        guard let name = names.first(where: { !$0.isEmpty }) else { return false }
        // language_TERRITORY.codeset@modifier
        if let dot = name.firstIndex(of: ".") {
            return isNameOfUTF8(name[name.index(after: dot)...].prefix { $0 != "@" })
        }
        // A few languages have no older encoding, so their names may omit it; the locale itself has it.
        guard let locale = newlocale(LC_CTYPE_MASK, name, nil) else { return false }
        defer { freelocale(locale) }
        guard let codeset = nl_langinfo_l(nl_item(CODESET), locale) else { return false }
        return isNameOfUTF8(String(cString: codeset)[...])
    }

    private static func isNameOfUTF8(_ name: Substring) -> Bool { ["utf-8", "utf8"].contains(name.lowercased()) }
}
