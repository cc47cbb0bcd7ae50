import Foundation
import Language
import Testing

@testable import CredentialCore
@testable import Helper
@testable import Providers
@testable import System
@testable import UserInterface

@Suite("The sign-in screen")
struct SignInScreenTests {
    /// A prompt for a code of github.com, for monalisa.
    static func prompt(
        account: AskedAccount? = nil, isRenewal: Bool = false, for approval: ApprovalPage? = nil
    ) throws -> SignInPrompt {
        let body = #"""
            {"device_code":"0123456789","user_code":"ABCD-1234","verification_uri":"https://github.com/login/device",
            "expires_in":899,"interval":5}
            """#
        let response = HTTPResponse(status: 200, body: Secret(body.utf8))
        let address = try #require(HTTPSAddress(parsing: "https://github.com/login/device/code"))
        let fields = try #require(response.fields)
        let authorization = try DeviceAuthorization(
            fields, from: OAuthServer(deviceAuthorization: address, token: address))
        return SignInPrompt(
            providerName: "GitHub", host: "github.com", askedAccount: account,
            approval: approval ?? .deviceCode(authorization), end: 0, isRenewal: isRenewal, isExplicit: false)
    }

    private func block(
        _ columns: Int, account: AskedAccount? = nil, in folder: String = "~/src/widgets", isRenewal: Bool = false,
        style: ScreenStyle = ScreenStyle(), asker: AskingCommand.Asker? = .git("git push")
    ) throws -> String {
        let form = ScreenForm(columns: columns, style: style)
        return SignInScreen.block(
            try Self.prompt(account: account, isRenewal: isRenewal), askedBy: asker, in: folder, form
        ).joined(separator: "\n")
    }

    @Test("shows who asks, the page and the code from 40 columns on", arguments: [59, 60, 80, 200])
    func wide(columns: Int) throws {
        #expect(
            try block(columns) == """
                git needs to sign in to GitHub (github.com).

                1. Open this page, here or on any other device:
                  https://github.com/login/device
                2. Enter this code:
                  ABCD-1234

                Asked by: git push, in "widgets"

                """)
        #expect(
            try block(columns, account: .named("alice")).hasSuffix(
                "\n  ABCD-1234\n\nSign in as: alice\nAsked by: git push, in \"widgets\"\n"))
        #expect(try block(columns, account: .another).contains("\n\nSign in as: another account\n"))
    }

    @Test("says that git needs a sign-in only if git asks, and names another program or says it is unknown")
    func askers() throws {
        let cargo = try block(80, asker: .program("cargo"))
        #expect(cargo.hasPrefix("Sign in to GitHub (github.com).\n\n1."))
        #expect(cargo.hasSuffix("\n\nAsked by: cargo, in \"widgets\"\n"))
        let unknown = try block(80, account: .named("alice"), asker: .unknown)
        #expect(unknown.hasPrefix("Sign in to GitHub (github.com).\n\n1."))
        #expect(unknown.hasSuffix("\n\nSign in as: alice\nAsked by: an unknown program, in \"widgets\"\n"))
        let nobody = try block(80, asker: nil)
        #expect(nobody.hasPrefix("Sign in to GitHub (github.com).\n\n1.") && nobody.hasSuffix("\n  ABCD-1234\n"))
        #expect(try block(30, asker: .unknown).hasPrefix("Sign in to github.com\nhttps://"))
        #expect(try block(39, account: .named("alice"), asker: nil).hasSuffix("\nABCD-1234\nSign in as: alice"))
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    /// Kept outside the macro, where Swift 6.0 cannot compile these texts.
    private static let folders: [(String, String)] = [
        ("/", #"in "/""#), ("~", #"in "~""#), ("/srv/한글", #"in "한글""#),
        ("~/x/1. Open this page", #"in "1. Open this page""#),
        (#"/x/a" 2. b"#, #"in "a' 2. b""#), ("/x/\u{301}a\"\u{301} 2. b", "in \"\u{301}a'\u{301} 2. b\""),
        ("/x/\(Self.repeated("a", 32))", "in \"\(Self.repeated("a", 32))\""),
        ("/x/\(Self.repeated("a", 33))", "in \"\(Self.repeated("a", 29))...\""),
        ("/x/\(Self.repeated("글", 17))", "in \"\(Self.repeated("글", 14))...\""),
        ("/x/e\(Self.repeated("\u{301}", 60))", "in \"e\(Self.repeated("\u{301}", 28))...\""),
    ]

    @Test("shows the last part of a folder's name, shortened, in quotes that it cannot end", arguments: folders)
    func folder(path: String, shown: String) throws {
        #expect(try block(200, in: path).hasSuffix("Asked by: git push, \(shown)\n"))
    }

    @Test("breaks sentences between words at 40 columns, and never the address or the code")
    func wrapped() throws {
        #expect(
            try block(40, account: .named("octocat-of-the-long-name")) == """
                git needs to sign in to GitHub
                (github.com).

                1. Open this page, here or on any other
                   device:
                  https://github.com/login/device
                2. Enter this code:
                  ABCD-1234

                Sign in as: octocat-of-the-long-name
                Asked by: git push, in "widgets"

                """)
        #expect(
            SignInScreen.lines(.signedIn(account: "monalisa", storage: .keyring), ScreenForm(columns: 40)) == [
                "✓ Signed in as monalisa. Saved in the", "keyring.",
            ])
    }

    @Test("shows three lines without indentation below 40 columns", arguments: [39, 30, 26])
    func narrow(columns: Int) throws {
        #expect(
            try block(columns) == """
                git: sign in to github.com
                https://github.com/login/device
                ABCD-1234
                """)
        #expect(try block(columns, account: .named("alice")).hasSuffix("\nABCD-1234\nSign in as: alice"))
    }

    @Test("shows a new code below its reason, without repeating who asks", arguments: [80, 30])
    func refresh(columns: Int) throws {
        let text = try block(columns, isRenewal: true)
        #expect(
            text.hasPrefix(
                columns == 30 ? "The code expired; here is a\nnew one.\n" : "The code expired; here is a new one.\n")
                && !text.contains("git needs") && !text.contains("git:"), "\(text)")
    }

    @Test("emphasises the code alone, never the address")
    func emphasis() throws {
        let text = try block(80, style: ScreenStyle(emphasises: true))
        #expect(text.contains("\n  \u{1b}[1mABCD-1234\u{1b}[0m\n"))
        #expect(text.contains("\n  https://github.com/login/device\n"))
        #expect(text.split(separator: "\u{1b}").count == 3)
    }

    @Test("spells the code character by character for a screen reader", arguments: [80, 30])
    func spelling(columns: Int) throws {
        let text = try block(columns, style: ScreenStyle(rewrites: false, isAccessible: true))
        #expect(text.contains("ABCD-1234\nCode: A B C D dash 1 2 3 4"), "\(text)")
        #expect(try !block(columns, style: ScreenStyle(rewrites: false)).contains("Code:"))
    }

    @Test(
        "prints success in words, after a mark that the terminal can show, or without one for a screen reader",
        arguments: [
            (ScreenStyle(), "✓ Signed in as monalisa. Saved in the keyring."),
            (ScreenStyle(emphasises: true), "\u{1b}[32m✓\u{1b}[0m Signed in as monalisa. Saved in the keyring."),
            (ScreenStyle(isUTF8: false), "[ok] Signed in as monalisa. Saved in the keyring."),
            (
                ScreenStyle(emphasises: true, isUTF8: false),
                "\u{1b}[32m[ok]\u{1b}[0m Signed in as monalisa. Saved in the keyring."
            ), (ScreenStyle(rewrites: false, isAccessible: true), "Signed in as monalisa. Saved in the keyring."),
        ])
    func success(style: ScreenStyle, line: String) {
        let notice = Notice.signedIn(account: "monalisa", storage: .keyring)
        #expect(SignInScreen.lines(notice, ScreenForm(columns: 80, style: style)) == [line])
    }

    @Test("shortens success below 40 columns, unless the token is kept only in memory")
    func narrowSuccess() {
        let form = ScreenForm(columns: 39)
        #expect(SignInScreen.lines(.signedIn(account: "m", storage: .keyring), form) == ["✓ Signed in as m."])
        #expect(
            SignInScreen.lines(.signedIn(account: "m", storage: .memory), form) == [
                "✓ Signed in as m. No keyring here: git", "credential-cache keeps the token in", "memory.",
            ])
    }

    @Test(
        "makes the waiting line as long as the width allows",
        arguments: [
            (80, "Waiting for you to approve. 15 min left. Ctrl-C cancels."),
            (60, "Waiting for you to approve. 15 min left. Ctrl-C cancels."), (59, "15 min left. Ctrl-C cancels."),
            (40, "15 min left. Ctrl-C cancels."), (30, "15 min left. Ctrl-C cancels."),
            (28, "15 min left. Ctrl-C cancels."), (27, "15 min left."), (12, "15 min left."),
            // Too wide for every form: wrapped, and never rewritten.
            (11, "15 min left. Ctrl-C cancels."),
        ])
    func waiting(columns: Int, line: String) {
        #expect(WaitingLine.text(seconds: 899, ScreenForm(columns: columns)) == line)
    }

    @Test("counts the time left in minutes, and in seconds during the last one")
    func timeLeft() {
        let texts = [900, 89, 60, 59, 1, 0, -5].map { WaitingLine.text(seconds: $0, ScreenForm(columns: 20)) }
        #expect(texts == ["15 min", "1 min", "1 min", "59 s", "1 s", "0 s", "0 s"].map { $0 + " left." })
    }

    @Test("rewrites the line every minute, then every ten seconds; otherwise prints it at the start, 5 and 1 min")
    func changes() {
        func changes(from start: Int64, rewrites: Bool) -> [Int64] {
            var changes: [Int64] = []
            var seconds = start
            while seconds > 0 {
                seconds = WaitingLine.nextChange(before: seconds, rewrites: rewrites)
                changes.append(seconds)
            }
            return changes
        }
        let minutes: [Int64] = (1...14).reversed().map { $0 * 60 }
        #expect(changes(from: 899, rewrites: true) == minutes + [50, 40, 30, 20, 10, 0])
        #expect(changes(from: 899, rewrites: false) == [300, 60, -1])
        #expect(changes(from: 300, rewrites: false) == [60, -1])
    }

    @Test("keeps our lines within 60 columns")
    func lengths() throws {
        var lines = try block(80).split(separator: "\n").map(String.init)
        for keys in 1..<8 {
            let line = KeyLine(opens: keys & 1 != 0, copies: keys & 2 != 0, showsQRCode: keys & 4 != 0)
            lines.append(try #require(line.text(ScreenForm(columns: 60))))
            let other = KeyLine(opens: keys & 1 != 0, offersDeviceCode: keys & 2 != 0, copiesAddress: keys & 4 != 0)
            if let text = other.text(ScreenForm(columns: 60)) { lines.append(text) }
        }
        for line in lines { #expect(line.count < 60, "\(line)") }
    }

    @Test("lists only the keys that do something new, as far as they fit")
    func keys() {
        let all = KeyLine(opens: true, copies: true, showsQRCode: true)
        #expect(KeyLine().text(ScreenForm(columns: 80)) == nil)
        #expect(all.text(ScreenForm(columns: 80)) == "Enter opens it here, c copies the code, r shows a QR code.")
        #expect(all.text(ScreenForm(columns: 50)) == "Enter: open  c: copy  r: QR code  q: quit")
        #expect(all.text(ScreenForm(columns: 40)) == nil)
        let two = KeyLine(opens: true, copies: true)
        #expect(two.text(ScreenForm(columns: 80)) == "Press Enter to open it here, c to copy the code, q to quit.")
        #expect(two.text(ScreenForm(columns: 30)) == "Enter: open  c: copy  q: quit")
        #expect(KeyLine(copies: true).text(ScreenForm(columns: 20)) == "c: copy  q: quit")
        let address = KeyLine(opens: true, offersDeviceCode: true, copiesAddress: true)
        #expect(address.text(ScreenForm(columns: 60)) == "Enter opens it here, c copies it, d uses a code instead.")
        #expect(address.text(ScreenForm(columns: 40)) == "Enter: open  c: copy  d: code  q: quit")
        #expect(KeyLine(copiesAddress: true).text(ScreenForm(columns: 40)) == "Press c to copy the address, q to quit.")
        let device = KeyLine(offersDeviceCode: true)
        #expect(device.text(ScreenForm(columns: 30)) == "d: code  q: quit")
        #expect(device.text(ScreenForm(columns: 60)) == "Press d to use a code instead, q to quit.")
        let accessible = ScreenForm(columns: 20, style: ScreenStyle(rewrites: false, isAccessible: true))
        #expect(KeyLine(copies: true).text(accessible) == "Press c to copy the code, q to quit.")
    }

    @Test("says that a keyring is not ready yet, and that an account has another name")
    func notices() {
        #expect(
            Notice.keyringNotReady.text().english
                == "Your keyring was created in this session and is not ready yet. Sign out of the session and in again to use it."
        )
        #expect(
            Notice.accountRenamed(host: "github.com", from: "octocat", to: "mona").text().english
                == "gitspace: github.com renamed octocat to mona, and the sign-in is now stored as mona.")
    }

    @Test("names the setting that may make a sign-in refreshable, as a command to paste")
    func endsForGood() {
        func text(_ command: DisplayText?) -> String {
            Notice.endsForGood(server: "id.example", seconds: 3_600, command: command).text().english
        }
        let what = "The token expires in 60 minutes and cannot be refreshed: id.example issued no refresh token."
        #expect(text(nil) == what)
        let command: DisplayText = "git config --global credential.https://git.example.oauthPrompt consent"
        #expect(text(command) == what + " To request one, set this and sign in again: \(command.text)")
    }
}
