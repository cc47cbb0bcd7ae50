internal import CredentialCore
internal import Helper
internal import Language

/// The page at which the browser ends, without scripts and without anything to load.
enum RedirectPage {
    static func html(_ result: RedirectResult) -> String {
        let close = Message("You can close this window.")
        let (mark, heading, lines) =
            switch result {
            case .signedIn(let account, let host):
                (green, Message("Signed in to %1$s as %2$s", host, account), [close])
            case .failed(let host, let error):
                // Commands are left out, since the terminal shows them too.
                (red, Message("Not signed in to %1$s", host), [error?.text, close].compactMap(\.self))
            }
        let paragraphs = lines.map { "<p>\(escaped($0))</p>" }.joined(separator: "\n")
        return """
            <!DOCTYPE html>
            <html lang="\(escaped(Message("en")))">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <link rel="icon" href="data:,">
            <title>\(escaped(heading))</title>
            <style>
            :root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --mark: \(mark.light); }
            @media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9198a1; --mark: \(mark.dark); } }
            body { margin: 20vh auto 0; max-width: 32rem; padding: 0 1.5rem; color: var(--text);
                   font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; word-break: keep-all; }
            h1 { font-size: 1.5rem; line-height: 1.25; border-left: .25rem solid var(--mark); padding-left: .75rem; }
            p { color: var(--quiet); padding-left: 1rem; }
            p::first-letter { text-transform: uppercase; }
            </style>
            </head>
            <body>
            <h1>\(escaped(heading))</h1>
            \(paragraphs)
            </body>
            </html>

            """
    }

    private static let green = (light: "#1a7f37", dark: "#3fb950")
    private static let red = (light: "#cf222e", dark: "#f85149")

    /// Escapes a message for HTML, also within quotes.
    private static func escaped(_ message: Message) -> String {
        NotificationText.escaped(Language.text(message)).replacing("\"", with: "&quot;")
    }
}
