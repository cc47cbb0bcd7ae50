package import CredentialCore
package import System

/// Opens a page in the person's browser, best effort.
package enum Browser {
    /// The program's own operation by which a child of ours asks the desktop to open a page (`DefaultBrowser`).
    package static let operation = "open-page"

    /// Starts what opens a page; returns at once.
    ///
    /// - Parameters:
    ///   - page: the address; the very one that the person sees.
    ///   - choice: what the person has configured.
    ///   - session: where we are.
    /// - Returns: what was started; nil if nothing could be.
    package static func open(
        _ page: HTTPSAddress, with choice: BrowserChoice, in session: DesktopSession
    ) -> DetachedProcess? {
        // Not `lazy.compactMap(…).first`, which starts the program twice: once to see whether it can be, once to hand it out.
        for command in commands(for: page.text, choice, in: session) {
            if let process = DetachedProcess(command) { return process }
        }
        return nil
    }

    /// What may open the page, the best first.
    static func commands(
        for address: String, _ choice: BrowserChoice, in session: DesktopSession
    ) -> [[String]] {
        guard session.canOpen(choice) else { return [] }
        switch choice {
        case .none: return []
        case .commands(let commands): return commands.map { $0.arguments(for: address) }
        case .system:
            guard session.isWSL else { return [["/proc/self/exe", operation, address]] }
            // PowerShell reads its arguments as a script: the address is a literal there, and has no quote in it.
            let literal =
                "'" + address.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "%27") + "'"
            return [
                ["wslview", address], ["powershell.exe", "-NoProfile", "-Command", "Start-Process \(literal)"],
            ]
        }
    }
}
