/// The languages that a person wants to read, by the variables that decide it for every program: `LANGUAGE`, `LC_ALL`,
/// `LC_MESSAGES` and `LANG` (locale(7); GNU gettext's manual, "The LANGUAGE variable").
package enum PreferredLanguages {
    /// The languages, as catalogues are named after them.
    ///
    /// - Parameter value: a variable's value; nil if it is not set.
    /// - Returns: the best first, each with its country and then without: `ko_KR`, `ko`. Those after English are left
    ///   out, since nothing is ever missing in English. So empty means English.
    package static func names(environment value: (String) -> String?) -> [String] {
        let named = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(value).first { !$0.isEmpty } ?? "C"
        // Programs rely on the texts of the locale C, whatever the list says. C.UTF-8 only names an encoding.
        guard named != "C", named != "POSIX" else { return [] }
        let list = value("LANGUAGE").flatMap { $0.isEmpty ? nil : $0 } ?? named
        return list.split(separator: ":").lazy.map(withoutEncoding).prefix { !isEnglish($0) }.flatMap(candidates)
    }

    /// `ko_KR` of `ko_KR.UTF-8@variant`.
    private static func withoutEncoding(_ name: Substring) -> Substring { name.prefix { $0 != "." && $0 != "@" } }

    private static func isEnglish(_ name: Substring) -> Bool {
        ["C", "POSIX", "en"].contains(name) || name.hasPrefix("en_")
    }

    /// It becomes part of a path, so it must be a name that leads nowhere else.
    private static func candidates(_ name: Substring) -> [String] {
        guard name.utf8.allSatisfy(isPartOfName) else { return [] }
        let language = name.prefix { $0 != "_" }
        return language.isEmpty ? [] : language == name ? [String(name)] : [String(name), String(language)]
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
