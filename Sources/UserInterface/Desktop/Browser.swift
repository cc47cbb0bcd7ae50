package import CredentialCore
package import System

package enum Browser {
    /// The argument by which a child process asks the desktop to open a page (`DefaultBrowser`).
    package static let operation = "open-page"

    /// Opens a page and returns at once; `nil` if no browser could be started.
    package static func open(
        _ page: HTTPSAddress, with choice: BrowserChoice, in session: DesktopSession
    ) -> ChildProcess? {
        // `lazy.compactMap(…).first` would start the program twice: once to test it, once to return it.
        for command in commands(for: page.text, choice, in: session) {
            if let process = ChildProcess(command, io: .detached()) { return process }
        }
        return nil
    }

    static func commands(for address: String, _ choice: BrowserChoice, in session: DesktopSession) -> [[String]] {
        guard session.canOpen(choice) else { return [] }
        switch choice {
        case .none: return []
        case .commands(let commands): return commands.map { $0.arguments(for: address) }
        case .system:
            guard session.isWSL else { return [["/proc/self/exe", operation, address]] }
            // PowerShell reads its arguments as a script: the address is a literal there, and contains no quote.
            let literal =
                "'" + address.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "%27") + "'"
            return [["wslview", address], ["powershell.exe", "-NoProfile", "-Command", "Start-Process \(literal)"]]
        }
    }
}

package enum BrowserChoice: Equatable {
    /// The desktop's default for https addresses.
    case system
    case none
    /// The first command that can be started is used.
    case commands([BrowserCommand])

    /// Reads `credential.gitspaceBrowser`, or else `BROWSER`.
    ///
    /// A repository's own configuration is not read (`ConfigurationEntry.parse`), since it must not choose a program.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        if let command = configuration[.gitspaceBrowser], !command.isEmpty {
            self.init(commands: [Substring(command)])
        } else if let list = environment("BROWSER"), !list.isEmpty {
            self.init(commands: list.split(separator: ":"))
        } else {
            self = .system
        }
    }

    /// Takes `none` and `false` as no browser, and also a list of only colons or of browsers that need the terminal.
    private init(commands: [Substring]) {
        let commands = commands.compactMap { BrowserCommand($0) }
        self = commands.isEmpty ? .none : .commands(commands)
    }
}

package struct BrowserCommand: Equatable {
    /// The words, in which `%s` stands for the address.
    private let words: [String]

    /// Browsers that would use the same terminal as git.
    private static let textBrowsers = ["lynx", "w3m", "links", "links2", "elinks", "browsh", "www-browser"]

    /// Splits a command at its spaces, without the quotes of a shell.
    ///
    /// Returns `nil` without a command: for nothing, `none`, `false`, or a browser that needs the terminal.
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
