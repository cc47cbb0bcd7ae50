package import CredentialCore

/// What opens a page, as the person has chosen it.
package enum BrowserChoice: Equatable {
    /// What the desktop has for https addresses.
    case system
    /// Nothing.
    case none
    /// The first of these that can be started.
    case commands([BrowserCommand])

    /// Finds the choice: `GITSPACE_BROWSER`, `credential.gitspaceBrowser`, `BROWSER`; the first that is set decides.
    ///
    /// The configuration of a repository is not among what is read (`ConfigurationEntry.parse`): it must not choose a
    /// program to run.
    ///
    /// - Parameters:
    ///   - configuration: git's, for the host.
    ///   - environment: looks up a variable.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        let own = [environment("GITSPACE_BROWSER"), configuration.value("credential", "gitspaceBrowser")]
        if let command = own.compactMap(\.self).first(where: { !$0.isEmpty }) {
            self.init(commands: [Substring(command)])
        } else if let list = environment("BROWSER"), !list.isEmpty {
            self.init(commands: list.split(separator: ":"))
        } else {
            self = .system
        }
    }

    /// `none` and `false` mean no; so does a list of nothing but colons, or of browsers that want the terminal.
    private init(commands: [Substring]) {
        let commands = commands.compactMap { BrowserCommand($0) }
        self = commands.isEmpty ? .none : .commands(commands)
    }
}

/// A command that opens a page.
package struct BrowserCommand: Equatable {
    /// The program and its arguments; `%s` stands for the address.
    private let words: [String]

    /// They take the terminal, which git and we still need.
    private static let textBrowsers = ["lynx", "w3m", "links", "links2", "elinks", "browsh", "www-browser"]

    /// Splits a command at its spaces; there is no shell, so there are no quotes either.
    ///
    /// The result is nil for no command: nothing, `none`, `false`, or a browser that wants the terminal.
    package init?(_ text: some StringProtocol) {
        words = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map { String($0) }
        guard let program = words.first, !["none", "false"].contains(program),
            let name = program.split(separator: "/").last, !Self.textBrowsers.contains(String(name))
        else { return nil }
    }

    /// The program and its arguments for an address, which comes last if the command does not say where.
    package func arguments(for address: String) -> [String] {
        let filled = words.dropFirst().map { Self.filled($0, with: address) }
        let arguments = zip(words.dropFirst(), filled).map { $1 ?? $0 }
        let hasPlace = filled.contains { $0 != nil }
        return words.prefix(1) + arguments + (hasPlace ? [] : [address])
    }

    /// A word with the address in its places; nil if it has none.
    ///
    /// By hand: the library that splits strings at strings would come into the front door with this module, and make it
    /// larger by a fifth.
    private static func filled(_ word: String, with address: String) -> String? {
        var result = ""
        var hasPlace = false
        var rest = word.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "%", rest.first == "s" {
                rest.removeFirst()
                result += address
                hasPlace = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return hasPlace ? result : nil
    }
}
