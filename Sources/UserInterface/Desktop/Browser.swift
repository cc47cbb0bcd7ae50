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
