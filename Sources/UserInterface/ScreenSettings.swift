package import CredentialCore

/// What the person has configured about how address and code are brought to them.
package struct ScreenSettings: Equatable {
    /// What opens the page.
    package var browser: BrowserChoice
    /// Whether the code may be put into the clipboard.
    package var copiesCode: Bool
    /// Whether the address is shown as a QR code without a key being pressed.
    package var showsQRCode: Bool
    /// Whether plain lines are wanted, as screen readers like them.
    package var isAccessible: Bool
    /// `color.ui`: git has been told never to use colours.
    package var forbidsColour: Bool

    /// What cannot be against anybody's wish, where that is not known: plain lines and nothing else.
    package static let quietest = ScreenSettings()

    private init() {
        browser = .none
        copiesCode = false
        showsQRCode = false
        isAccessible = true
        forbidsColour = true
    }

    /// Reads the settings; `GITSPACE_ACCESSIBLE` wins over git's configuration.
    ///
    /// - Parameters:
    ///   - configuration: git's, for the host.
    ///   - environment: looks up a variable.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        func isOn(_ key: String, usually: Bool) -> Bool {
            configuration.value("credential", key).map { !Interactivity.isFalse($0) } ?? usually
        }
        browser = BrowserChoice(configuration, environment: environment)
        copiesCode = isOn("gitspaceClipboard", usually: true)
        showsQRCode = isOn("gitspaceQr", usually: false)
        let accessible = environment("GITSPACE_ACCESSIBLE").flatMap { $0.isEmpty ? nil : $0 }
        isAccessible =
            accessible.map { !Interactivity.isFalse($0) } ?? isOn("gitspaceAccessible", usually: false)
        // git-config(1), color.ui: `always` is for what git prints; it does not bind us.
        let colour = configuration.plainValue("color", "ui") ?? "auto"
        forbidsColour = colour == "never" || Interactivity.isFalse(colour)
    }
}
