package import CredentialCore
package import System

package enum Browser {
    /// By it a child process asks the desktop to open a page (`DefaultBrowser`).
    package static let operation = "open-page"

    /// Returns at once; nil if nothing could be started.
    package static func open(
        _ page: HTTPSAddress, with choice: BrowserChoice, in session: DesktopSession
    ) -> DetachedProcess? {
        // Not `lazy.compactMap(…).first`, which starts the program twice: once to test it, once to return it.
        for command in commands(for: page.text, choice, in: session) {
            if let process = DetachedProcess(command) { return process }
        }
        return nil
    }

    /// Best first.
    static func commands(
        for address: String, _ choice: BrowserChoice, in session: DesktopSession
    ) -> [[String]] {
        guard session.canOpen(choice) else { return [] }
        switch choice {
        case .none: return []
        case .commands(let commands): return commands.map { $0.arguments(for: address) }
        case .system:
            guard session.isWSL else { return [["/proc/self/exe", operation, address]] }
            // PowerShell reads its arguments as a script: the address is a literal there, and contains no quote.
            let literal =
                "'" + address.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "%27") + "'"
            return [
                ["wslview", address], ["powershell.exe", "-NoProfile", "-Command", "Start-Process \(literal)"],
            ]
        }
    }
}

package enum BrowserChoice: Equatable {
    /// What the desktop uses for https addresses.
    case system
    case none
    /// The first that can be started.
    case commands([BrowserCommand])

    /// `credential.gitspaceBrowser`, else `BROWSER`.
    ///
    /// Does not read a repository's own configuration (`ConfigurationEntry.parse`): it must not choose a program.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        if let command = configuration[.gitspaceBrowser], !command.isEmpty {
            self.init(commands: [Substring(command)])
        } else if let list = environment("BROWSER"), !list.isEmpty {
            self.init(commands: list.split(separator: ":"))
        } else {
            self = .system
        }
    }

    /// `none` and `false` mean no; so does a list that is only colons, or only browsers that need the terminal.
    private init(commands: [Substring]) {
        let commands = commands.compactMap { BrowserCommand($0) }
        self = commands.isEmpty ? .none : .commands(commands)
    }
}

package struct BrowserCommand: Equatable {
    /// `%s` is replaced by the address.
    private let words: [String]

    /// They use the terminal, which git and we still need.
    private static let textBrowsers = ["lynx", "w3m", "links", "links2", "elinks", "browsh", "www-browser"]

    /// Splits a command at its spaces; there is no shell, so there are no quotes either.
    ///
    /// The result is nil if there is no command: nothing, `none`, `false`, or a browser that needs the terminal.
    package init?(_ text: some StringProtocol) {
        words = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map { String($0) }
        guard let program = words.first, !["none", "false"].contains(program),
            let name = program.split(separator: "/").last, !Self.textBrowsers.contains(String(name))
        else { return nil }
    }

    /// The address is appended if the command has no `%s`.
    package func arguments(for address: String) -> [String] {
        let arguments = words.dropFirst()
        let hasPlace = arguments.contains { $0.contains("%s") }
        return words.prefix(1) + arguments.map { $0.replacing("%s", with: address) } + (hasPlace ? [] : [address])
    }
}
