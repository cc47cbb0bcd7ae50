package import CredentialCore
internal import Helper
internal import Providers

/// Another helper, as it can be shown.
package struct OtherHelper: Equatable {
    /// Its name, or the words of a shell command that cannot be secret.
    package let name: DisplayText
    /// The file in which it is configured.
    package let origin: DisplayText

    /// The helpers of some links, each once.
    static func list(_ links: [HelperChain.Link]) -> [OtherHelper] {
        var list: [OtherHelper] = []
        for link in links {
            let helper = OtherHelper(
                name: DisplayText(shown(link.helper).utf8), origin: DisplayText(link.origin.utf8))
            if !list.contains(helper) { list.append(helper) }
        }
        return list
    }

    /// A value as it can be shown: it may contain passwords.
    ///
    /// For a helper with arguments, only the first word. For a shell command (gitcredentials(7)), the words up to the
    /// first one that may be more than a name: all of `!gh auth git-credential`, hardly any of `!f() { ...`.
    static func shown(_ value: String) -> String {
        guard value.hasPrefix("!") else { return value.split(separator: " ").first.map(String.init) ?? "" }
        let words = value.dropFirst().split(whereSeparator: { $0.isWhitespace })
        guard let program = words.first, isName(program, mayHaveDigits: true) else { return "!..." }
        var shown = "!" + program
        // A command that only prints may print a password.
        let mayGoOn = !["echo", "printf"].contains(program.split(separator: "/").last)
        var rest = words.dropFirst()
        while mayGoOn, let word = rest.first, isName(word, mayHaveDigits: false), shown.utf8.count < longest {
            shown += " " + word
            rest = rest.dropFirst()
            if announcesSecret(word) { break }
        }
        return rest.isEmpty ? shown : shown + " ..."
    }

    private static let longest = 50

    /// Whether a word is a program, a subcommand or an option, by its letters: a token has digits.
    private static func isName(_ word: Substring, mayHaveDigits: Bool) -> Bool {
        word.utf8.count <= longest
            && word.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "/._-~".utf8.contains(byte)
                    || mayHaveDigits && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }

    private static func announcesSecret(_ word: Substring) -> Bool {
        let word = word.lowercased()
        return ["pass", "token", "secret", "key", "user"].contains { word.contains($0) } || word == "-p" || word == "-u"
    }
}
