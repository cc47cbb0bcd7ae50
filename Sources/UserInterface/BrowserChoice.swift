package import CredentialCore

/// What opens a page, as the person has chosen it.
package enum BrowserChoice: Equatable {
    /// What the desktop has for https addresses.
    case system
    /// Nothing.
    case none
    /// The first of these that can be started.
    case commands([BrowserCommand])

    /// Finds the choice: `credential.gitspaceBrowser`, else `BROWSER`.
    ///
    /// The configuration of a repository is not among what is read (`ConfigurationEntry.parse`): it must not choose a
    /// program to run.
    ///
    /// - Parameters:
    ///   - configuration: git's, for the host.
    ///   - environment: looks up a variable.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        if let command = configuration.value("credential", "gitspaceBrowser"), !command.isEmpty {
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
        let arguments = words.dropFirst()
        let hasPlace = arguments.contains { $0.contains("%s") }
        return words.prefix(1) + arguments.map { $0.replacing("%s", with: address) } + (hasPlace ? [] : [address])
    }
}
