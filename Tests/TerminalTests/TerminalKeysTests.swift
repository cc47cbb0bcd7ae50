import CredentialCore
import Glibc
import Helper
import Providers
import Staging
import Testing

@testable import UserInterface

@Suite("Keys and control sequences")
struct TerminalKeysTests {
    @Test(
        "accepts a key only if it was typed alone, since other input was meant for another program",
        arguments: [
            ("", []), ("\n", [.enter]), ("\r", [.enter]), ("c", [.copy]), ("rq", [.showQRCode, .quit]),
            ("\n\n\r", [.enter]), ("C", []), ("cd src\n", []), ("\u{1b}[Cq", []), ("\u{1b}[200~q\u{1b}[201~", []),
            ("ㅊ", []),
        ] as [(String, [TerminalKeys.Key])])
    func keys(typed: String, keys: [TerminalKeys.Key]) {
        #expect(TerminalKeys.keys(in: Array(typed.utf8)[...]) == keys)
    }

    @Test("sends the terminal's clipboard sequence directly, and wrapped for screen(1)")
    func sequence() {
        func sequence(_ environment: [String: String]) -> String {
            TerminalClipboard.sequence(copying: "ABCD-1234") { environment[$0] }
        }
        let plain = "\u{1b}]52;c;QUJDRC0xMjM0\u{7}"
        #expect(sequence([:]) == plain && sequence(["TMUX": "/tmp/x,1,0", "STY": "1.x"]) == plain)
        // tmux ignores the sequence by default; it has a command of its own.
        #expect(!TerminalClipboard.mayWork { ["TERM": "tmux-256color", "TMUX": "/tmp/x,1,0"][$0] })
        #expect(sequence(["STY": "1.pts-0.host"]) == "\u{1b}P\(plain)\u{1b}\\")
    }

    private func aids(
        columns: Int = 80, rows: Int = 24, for approval: ApprovalPage? = nil, isRenewal: Bool = false,
        isAtDesktop: Bool = false
    ) throws -> SignInAids {
        var settings = ScreenSettings(nil) { _ in nil }
        if isAtDesktop { settings.browser = .system }
        let session = DesktopSession(userID: 1_000, runtimeFolderOwner: 1_000, hasWindowsInterop: false) {
            isAtDesktop ? ["DISPLAY": ":0"][$0] : nil
        }
        return SignInAids(
            try SignInScreenTests.prompt(isRenewal: isRenewal, for: approval), settings, session,
            ScreenForm(columns: columns, rows: rows, style: ScreenStyle(emphasises: true)), now: 0,
            environment: { ["TERM": "xterm"][$0] })
    }

    private func lines(_ output: SignInAids.Output?) -> [String]? {
        if case .lines(let lines)? = output { lines } else { nil }
    }

    @Test("the browser opens by itself for the first code, and not again for the next", arguments: [false, true])
    func opensOnce(isRenewal: Bool) throws {
        let aids = try aids(isRenewal: isRenewal, isAtDesktop: true)
        #expect((aids.nextLook(after: 0) == nil) == isRenewal)
    }

    @Test("copies the address at c if there is no code, as the line of keys says", arguments: [40, 80])
    func copiedAddress(columns: Int) throws {
        let page = HTTPSAddress(host: "id.example", path: "/authorize?state=" + String(repeating: "a", count: 300))
        for approval in [ApprovalPage.pastedAddress(page), .browser(page, offersDeviceCode: false)] {
            var aids = try aids(columns: columns, for: approval)
            let line = SignInAids.Output.lines(["Press c to copy the address, q to quit."])
            #expect(aids.update(now: 0, areKeysTaken: true) == [line] && aids.press(.copy, now: 10).isEmpty)
            let encoded = String(decoding: Base64.encode(page.text.utf8), as: UTF8.self)
            let outputs = aids.update(now: 20, areKeysTaken: true)
            #expect(outputs.first == .control("\u{1b}]52;c;\(encoded)\u{7}"))
            #expect(lines(outputs.last)?.joined(separator: " ") == "Address copied, if your terminal allows it.")
            // An address of this machine only is useless in a picture.
            #expect(aids.press(.showQRCode, now: 30).isEmpty)
        }
    }

    @Test("shows the QR code at r and hides it again, keeping the lines below it")
    func toggledQRCode() throws {
        var aids = try aids()
        let picture = try #require(lines(aids.press(.showQRCode, now: 0).first))
        let below = try #require(lines(aids.update(now: 10, areKeysTaken: true).first))
        #expect(picture.count == 14)
        #expect(aids.press(.showQRCode, now: 20) == [.replacement(below, of: 14 + below.count)])
        #expect(aids.press(.showQRCode, now: 30) == [.lines(picture)])
    }

    @Test("reports once that the window is too small for the QR code", arguments: [(26, 24), (80, 14)])
    func tooSmall(columns: Int, rows: Int) throws {
        var aids = try aids(columns: columns, rows: rows)
        let output = aids.press(.showQRCode, now: 0).first
        // A window narrower than 40 columns cannot show a picture.
        #expect((output == nil) == (columns < 40))
        guard let lines = lines(output) else { return }
        #expect(lines.joined(separator: " ").contains("too small for the QR code: it needs 27 columns and 15 lines"))
        #expect(aids.press(.showQRCode, now: 10).isEmpty)
    }

    @Test("draws GitHub's address in 27 columns and 14 rows, each with its own black and white")
    func qrCode() throws {
        let form = ScreenForm(columns: 80, style: ScreenStyle(emphasises: true))
        let picture = try #require(QRPicture("https://github.com/login/device", for: form))
        let lines = picture.lines
        #expect(picture.columns == 27 && lines.count == 14)
        for line in lines { #expect(line.hasPrefix("\u{1b}[38;5;16;48;5;231m") && line.hasSuffix("\u{1b}[0m")) }
        // The finder pattern in the corner (ISO/IEC 18004).
        #expect(picture.rows[0].prefix(8) == [true, true, true, true, true, true, true, false])
        #expect(picture.rows[1].prefix(8) == [true, false, false, false, false, false, true, false])
        #expect(lines.first?.contains(" ▄▄▄▄▄▄▄ ") == true)
    }
}
