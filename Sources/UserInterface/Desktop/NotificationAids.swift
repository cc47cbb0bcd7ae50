package import CredentialCore
package import Helper
internal import System

/// The actions of the notification's buttons.
package struct NotificationAids {
    /// Opens a page in a browser, and returns at once; nil if there is nothing to open it with.
    package var open: ((HTTPSAddress) -> Void)?
    /// Copies the code to the clipboard, and returns at once; nil if that is impossible.
    package var copy: ((String) -> Void)?

    package init(open: ((HTTPSAddress) -> Void)?, copy: ((String) -> Void)?) {
        self.open = open
        self.copy = copy
    }

    /// The same actions as the keys on a terminal.
    ///
    /// - Parameters:
    ///   - settings: what the person has configured.
    ///   - session: the session of this process.
    ///   - clock: the time.
    package init(_ settings: ScreenSettings, in session: DesktopSession, clock: any Clock) {
        open =
            session.canOpen(settings.browser)
            ? { _ = Browser.open($0, with: settings.browser, in: session) } : nil
        // A button promises more than a key: the program must exist.
        let programs = Clipboard.commands(in: session).compactMap(\.first)
        guard settings.copiesCode, programs.contains(where: { ProgramSearch.find($0) != nil }) else { return }
        copy = { _ = Clipboard(copying: $0, in: session, now: clock.uptimeMilliseconds) }
    }
}
