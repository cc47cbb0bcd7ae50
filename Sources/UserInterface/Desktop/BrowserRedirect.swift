internal import CredentialCore
internal import Glibc
package import Helper
internal import Language
package import Providers
internal import System

/// ⑤ The end of the code flow in the person's browser: the browser's request, and the page that the person then reads.
package final class BrowserRedirect: RedirectReceiver {
    private let listener: LoopbackListener
    package let redirectURI: String
    /// The redirect's origin, with 127.0.0.1 in place of `localhost`, which a browser may know by https alone.
    private let origin: String

    /// - Throws: `.noRedirect` or `.redirectTaken`.
    package init(at address: RedirectAddress) throws(SignInError) {
        do throws(Errno) {
            listener = try LoopbackListener(at: address)
        } catch {
            guard let port = address.port, error.number == EADDRINUSE else { throw .noRedirect }
            throw .redirectTaken(
                port: Int(port), by: PeerUser.listening(at: port).map { DisplayText(untrusted: $0.utf8) })
        }
        redirectURI = address.uri(port: listener.port)
        origin = RedirectAddress(address.host == .localhost ? .loopbackAddress : address.host, path: "")
            .uri(port: listener.port)
    }

    package var hearsBrowser: Bool { listener.knowsUsers }

    package var descriptors: [Int32] { listener.descriptors }

    package func next(_ isExpected: (FormFields) -> Bool) -> RedirectEvent? {
        switch listener.next({ $0.reveal { FormFields($0) }.map(isExpected) == true }) {
        case .query(let query): query.reveal { FormFields($0) }.map { .answer($0) }
        case .tls: .https(origin: DisplayText(trusted: origin))
        case .stranger: .stranger
        case nil: nil
        }
    }

    package func show(_ result: RedirectResult) { listener.answer(Array(RedirectPage.html(result).utf8)) }
}

/// The page at which the browser ends, without scripts and without anything to load.
enum RedirectPage {
    static func html(_ result: RedirectResult) -> String {
        let (mark, heading, lines) = words(result)
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

    private static func words(
        _ result: RedirectResult
    ) -> (mark: (light: String, dark: String), heading: Message, lines: [Message]) {
        let close = Message("You can close this window.")
        switch result {
        case .signedIn(let account, let host):
            return (green, Message("Signed in to %1$s as %2$s", host, account), [close])
        case .failed(let host, let error):
            // Commands are left out, since the terminal shows them too.
            return (red, Message("Not signed in to %1$s", host), (error.map { [$0.text] } ?? []) + [close])
        }
    }

    /// Escapes a message for HTML, also within quotes.
    private static func escaped(_ message: Message) -> String {
        NotificationText.escaped(Language.text(message)).replacing("\"", with: "&quot;")
    }
}
