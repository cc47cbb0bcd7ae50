package import CredentialCore
package import System

/// Opens a page in the person's browser if possible.
package enum Browser {
    /// The operation of this program with which a child process asks the desktop to open a page (`DefaultBrowser`).
    package static let operation = "open-page"

    /// Starts a program that opens a page; returns at once.
    ///
    /// - Parameters:
    ///   - page: the address, exactly as the person sees it.
    ///   - choice: what the person has configured.
    ///   - session: the desktop session of this process.
    /// - Returns: what was started; nil if nothing could be.
    package static func open(
        _ page: HTTPSAddress, with choice: BrowserChoice, in session: DesktopSession
    ) -> DetachedProcess? {
        // Not `lazy.compactMap(…).first`, which starts the program twice: once to test it, once to return it.
        for command in commands(for: page.text, choice, in: session) {
            if let process = DetachedProcess(command) { return process }
        }
        return nil
    }

    /// The commands that may open the page, best first.
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

/// What opens a page, as configured.
package enum BrowserChoice: Equatable {
    /// What the desktop uses for https addresses.
    case system
    /// No browser.
    case none
    /// The first of these commands that can be started.
    case commands([BrowserCommand])

    /// Finds the choice: `credential.gitspaceBrowser`, else `BROWSER`.
    ///
    /// Does not read a repository's own configuration (`ConfigurationEntry.parse`): it must not choose a program.
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

    /// `none` and `false` mean no; so does a list that is only colons, or only browsers that need the terminal.
    private init(commands: [Substring]) {
        let commands = commands.compactMap { BrowserCommand($0) }
        self = commands.isEmpty ? .none : .commands(commands)
    }
}

/// A command that opens a page.
package struct BrowserCommand: Equatable {
    /// The program and its arguments; `%s` is replaced by the address.
    private let words: [String]

    /// Browsers that use the terminal, which git and we still need.
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

    /// The program and its arguments for an address, which is appended if the command has no `%s`.
    package func arguments(for address: String) -> [String] {
        let arguments = words.dropFirst()
        let hasPlace = arguments.contains { $0.contains("%s") }
        return words.prefix(1) + arguments.map { $0.replacing("%s", with: address) } + (hasPlace ? [] : [address])
    }
}
