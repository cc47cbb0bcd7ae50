internal import CredentialCore
internal import Helper
internal import Language
internal import Providers
internal import System

/// The aids of a sign-in: the browser, the clipboard and the QR code; no failure here is an error.
struct SignInAids {
    /// Milliseconds in which the person sees the code before the page opens and takes the focus.
    private static let delay: Int64 = 1_000
    /// Milliseconds after which a running browser counts as started; until then it is not started again.
    private static let startsWithin: Int64 = 2_000

    private let settings: ScreenSettings
    private let session: DesktopSession
    private let environment: (String) -> String?
    private let prompt: SignInPrompt
    private let form: ScreenForm
    private let picture: QRPicture?

    /// Milliseconds of uptime at which the page opens without a key, or `nil` if it does not.
    private var opensAt: Int64?
    private var browser: (process: ChildProcess, byKey: Bool)?
    private var lastOpening: Int64?
    private var hasOpened = false
    private var cannotOpen: Bool
    private var clipboard: Clipboard?
    private var hasCopied = false
    /// The height of the QR code in lines, or `nil` while it is not shown.
    private var qrCodeHeight: Int?
    private var hasToldSize = false
    /// The lines that were shown below the QR code since.
    private var linesBelow: [String] = []
    private var hasToldKeys = false

    enum Output: Equatable {
        /// Lines above the waiting line.
        case lines([String])
        /// Lines in place of so many lines above the waiting line.
        case replacement([String], of: Int)
        /// A control sequence that shows nothing.
        case control(String)
    }

    /// Starts the aids that need no key; `now` is in milliseconds of uptime.
    init(
        _ prompt: SignInPrompt, _ settings: ScreenSettings, _ session: DesktopSession, _ form: ScreenForm,
        now: Int64, environment: @escaping (String) -> String?
    ) {
        self.prompt = prompt
        self.settings = settings
        self.session = session
        self.form = form
        self.environment = environment
        // Only a code can be approved on any device.
        picture = prompt.approval.userCode == nil ? nil : QRPicture(prompt.approval.address.text, for: form)
        cannotOpen = if case .pastedAddress = prompt.approval { true } else { !session.canOpen(settings.browser) }
        // After the code flow, the browser may come back without a question, so the person opens the page.
        guard prompt.approval.userCode != nil, session.opensByItself(settings.browser) else { return }
        // A new code has the same page, which is open already.
        if prompt.isRenewal { hasOpened = true } else { opensAt = now + Self.delay }
    }

    /// Milliseconds of uptime for the next `update`, or `nil` if nothing is in progress.
    func nextLook(after now: Int64) -> Int64? {
        let isBusy = browser != nil || clipboard != nil
        return [opensAt, isBusy ? now + 50 : nil].compactMap(\.self).min()
    }

    /// Handles any key but `q` and `d`; `now` is in milliseconds of uptime.
    mutating func press(_ key: TerminalKeys.Key, now: Int64) -> [Output] {
        switch key {
        case .enter: open(byKey: true, now)
        case .copy: clipboard = clipboard ?? Clipboard(copying: copiedText, in: session, now: now)
        case .showQRCode: return qrCode()
        case .quit, .deviceCode: break
        }
        return []
    }

    /// Returns the text about events since the last call; `now` is in milliseconds of uptime.
    mutating func update(now: Int64, areKeysTaken: Bool) -> [Output] {
        var outputs: [Output] = []
        if let opensAt, now >= opensAt { open(byKey: false, now) }
        outputs += lookAtClipboard(now) + lookAtBrowser(now)
        // Automatic actions come first: only the remaining keys are worth a line.
        if areKeysTaken, !hasToldKeys, nextLook(after: now) == nil {
            hasToldKeys = true
            let canCopy = !Clipboard.isOutOfReach(in: session) || TerminalClipboard.mayWork(environment: environment)
            var keys = KeyLine(opens: !cannotOpen && !hasOpened, showsQRCode: picture != nil && qrCodeHeight == nil)
            if case .browser(_, let offers) = prompt.approval { keys.offersDeviceCode = offers }
            (keys.copies, keys.copiesAddress) = (isCode && !hasCopied && canCopy, !isCode && !hasCopied && canCopy)
            outputs += keys.text(form).map { [.lines([$0])] } ?? []
        }
        for case .lines(let lines) in outputs where qrCodeHeight != nil { linesBelow += lines }
        return outputs
    }

    private mutating func open(byKey: Bool, _ now: Int64) {
        opensAt = nil
        // A key that is held down opens only one page.
        guard !cannotOpen, browser == nil, lastOpening.map({ now >= $0 + Self.startsWithin }) ?? true else { return }
        lastOpening = now
        let process = Browser.open(prompt.approval.address, with: settings.browser, in: session)
        browser = process.map { ($0, byKey) }
        cannotOpen = process == nil
    }

    private mutating func lookAtBrowser(_ now: Int64) -> [Output] {
        guard let (process, byKey) = browser else { return [] }
        let state = process.state
        if state == .running, now < (lastOpening ?? now) + Self.startsWithin { return [] }
        browser = nil
        // A browser that keeps running may stay until the person closes it.
        guard state == .failed else {
            hasOpened = true
            return say(Message("The page is opening in your browser."))
        }
        cannotOpen = true
        return byKey ? say(Message("Could not open a browser here.")) : []
    }

    /// Whether there is a code to copy; otherwise the address is copied.
    private var isCode: Bool { prompt.approval.userCode != nil }
    private var copiedText: String { prompt.approval.userCode ?? prompt.approval.address.text }

    private mutating func lookAtClipboard(_ now: Int64) -> [Output] {
        guard var attempt = clipboard else { return [] }
        let hasWorked = attempt.look(now: now)
        clipboard = hasWorked == nil ? attempt : nil
        guard let hasWorked else { return [] }
        if hasWorked {
            hasCopied = true
            return say(SignInWords.copied(isCode: isCode, byTmux: attempt.isByTmux))
        }
        // The terminal may reach the person's clipboard where no program here does.
        guard TerminalClipboard.mayWork(environment: environment) else { return [] }
        return [.control(TerminalClipboard.sequence(copying: copiedText, environment: environment))]
            + say(
                isCode
                    ? Message("Code copied, if your terminal allows it.")
                    : Message("Address copied, if your terminal allows it."))
    }

    /// Shows the QR code of the plain address: GitHub does not want links that bypass its pages.
    private mutating func qrCode() -> [Output] {
        guard let picture else { return [] }
        if let height = qrCodeHeight {
            qrCodeHeight = nil
            return [.replacement(linesBelow, of: height + linesBelow.count)]
        }
        guard let lines = picture.lines(in: form) else {
            guard !hasToldSize else { return [] }
            hasToldSize = true
            return say(
                Message(
                    "The window is too small for the QR code: it needs %1$s columns and %2$s lines.", picture.columns,
                    picture.lines.count + 1))
        }
        qrCodeHeight = lines.count
        linesBelow = []
        return [.lines(lines)]
    }

    private func say(_ message: Message) -> [Output] { [.lines(form.wrapped(message))] }
}

/// The clipboard by xterm's control sequence OSC 52, which reaches even a remote terminal, but never reports success.
enum TerminalClipboard {
    /// Returns whether the sequence may work.
    ///
    /// The text console of Linux would print it. tmux(1) accepts it from programs only if `set-clipboard` is `on`,
    /// which is not the default; tmux has its own way (`Clipboard`).
    static func mayWork(environment: (String) -> String?) -> Bool {
        guard environment("TMUX")?.isEmpty ?? true else { return false }
        return !["", "dumb", "linux", "vt100", "vt220"].contains(environment("TERM") ?? "")
    }

    /// screen(1) passes the sequence on only if it is wrapped.
    static func sequence(copying text: String, environment: (String) -> String?) -> String {
        let sequence = "\u{1b}]52;c;\(String(decoding: Base64.encode(text.utf8), as: UTF8.self))\u{7}"
        let isScreen = environment("STY")?.isEmpty == false && environment("TMUX") == nil
        return isScreen ? "\u{1b}P\(sequence)\u{1b}\\" : sequence
    }
}
