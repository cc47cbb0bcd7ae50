package import CredentialCore
package import Helper
internal import System

/// What the buttons of the notification do.
package struct NotificationAids {
    /// Opens a page in a browser, and returns at once; nil if there is nothing to open it with.
    package var open: ((HTTPSAddress) -> Void)?
    /// Puts the code into the clipboard, and returns at once; nil if that cannot be done.
    package var copy: ((String) -> Void)?

    package init(open: ((HTTPSAddress) -> Void)?, copy: ((String) -> Void)?) {
        self.open = open
        self.copy = copy
    }

    /// The same as the keys on a terminal do.
    ///
    /// - Parameters:
    ///   - settings: what the person has configured.
    ///   - session: where they sit.
    ///   - clock: the time.
    package init(_ settings: ScreenSettings, in session: DesktopSession, clock: any Clock) {
        open =
            session.canOpen(settings.browser)
            ? { _ = Browser.open($0, with: settings.browser, in: session) } : nil
        // A button promises more than a key does.
        let programs = Clipboard.commands(in: session).compactMap(\.first)
        guard settings.copiesCode, programs.contains(where: { ProgramSearch.find($0) != nil }) else { return }
        copy = { _ = Clipboard(copying: $0, in: session, now: clock.uptimeMilliseconds) }
    }
}
