package import CredentialCore

/// How the address and the code are shown, as the person has configured it.
package struct ScreenSettings: Equatable {
    /// What opens the page.
    package var browser: BrowserChoice
    /// Whether the code may be copied to the clipboard.
    package var copiesCode: Bool
    /// Whether the QR code of the address is shown without pressing a key.
    package var showsQRCode: Bool
    /// Whether to write plain lines, for screen readers.
    package var isAccessible: Bool
    /// Whether git is configured never to use colours (`color.ui`).
    package var forbidsColour: Bool

    /// Plain lines and nothing else, for when the person's settings are unknown.
    package static let quietest = ScreenSettings()

    private init() {
        browser = .none
        copiesCode = false
        showsQRCode = false
        isAccessible = true
        forbidsColour = true
    }

    /// Reads the settings; `GITSPACE_ACCESSIBLE` overrides git's configuration.
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
        // git-config(1), color.ui: `always` applies to git's own output, not to ours.
        let colour = configuration.plainValue("color", "ui") ?? "auto"
        forbidsColour = colour == "never" || Interactivity.isFalse(colour)
    }
}
