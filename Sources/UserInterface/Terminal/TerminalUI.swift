package import CredentialCore
internal import Glibc
package import Helper
internal import Language
internal import Providers
package import System

package final class TerminalUI: SignInUI {
    private let streams: StandardStreams
    private let signals: SignalWatch
    private let clock: any Clock
    private let settings: () -> ScreenSettings
    /// Opened when there is first something to show; `nil` without a terminal.
    private lazy var screen = Screen(style: { [settings] in settings().style })
    /// Looked up when first needed; `nil` if unknown.
    private lazy var command = AskingCommand.watched()
    private var shown: ShownPrompt?

    /// Creates the interface without opening the terminal; reading `settings` takes time, and waits for something to
    /// show.
    package init(
        streams: StandardStreams, signals: SignalWatch, clock: any Clock, settings: @escaping () -> ScreenSettings
    ) {
        self.streams = streams
        self.signals = signals
        self.clock = clock
        self.settings = settings
    }

    package var canBeReached: Bool { screen != nil }
    package var hasTerminal: Bool { screen != nil }
    package var opensBrowser: Bool { screen != nil && DesktopSession.here.opensByItself(settings().browser) }

    package func show(_ prompt: SignInPrompt) {
        guard let screen else { return }
        dismissPrompt()
        screen.replaceLine()
        // Looked up before anything is shown, because the command may end as soon as the prompt appears.
        _ = command
        let asker = prompt.isRenewal || prompt.isExplicit ? nil : AskingCommand.asker
        shown = ShownPrompt(prompt, askedBy: asker, settings(), on: screen, signals, clock)
    }

    package func takePasted() -> Secret? { shown?.pasted }

    package func dismissPrompt() {
        shown?.dismiss()
        shown = nil
    }

    package func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome {
        let wakeUp = clock.uptimeMilliseconds + milliseconds
        while true {
            // The same Ctrl-C may have ended git.
            let isAbandoned = streams.isAbandoned || command?.hasEnded == true
            if signals.look() { return .cancelled }
            if isAbandoned { return .abandoned }
            if let end = shown?.attend() { return end }
            let now = clock.uptimeMilliseconds
            guard wakeUp > now else { return .elapsed }
            // A second at most, so that the time left stays correct, and the end of the git command is noticed.
            let pause = max(1, min(min(wakeUp, shown?.nextLook ?? wakeUp) - now, 1_000))
            let ready = FileDescriptor.ready(
                reading: [signals.number] + [shown?.keyDescriptor].compactMap(\.self) + descriptors,
                ending: [streams.answerDescriptor], within: pause)
            if ready.contains(where: descriptors.contains) { return .elapsed }
        }
    }

    package func say(_ notice: Notice) {
        // git's own tests compare standard error: without a terminal, nothing is written.
        guard let screen else { return }
        // The process that signs in has its waiting line open on the same terminal, and rewrites it within a minute.
        if case .waitingForOtherSignIn = notice { screen.takeOverLine() }
        screen.replaceLine(with: SignInScreen.lines(notice, screen.form))
    }

    /// Clears the waiting line, which the next text on standard error must not follow.
    package func clearLine() { screen?.replaceLine() }
}

/// A prompt with its keys, aids and waiting line, from its appearance until it is dismissed.
private final class ShownPrompt {
    private let screen: Screen
    private let keys: TerminalKeys?
    private let signals: SignalWatch
    private let end: Int64
    private let approval: ApprovalPage
    private var line = Secret.Builder()
    private(set) var pasted: Secret?
    private var aids: SignInAids
    private let clock: any Clock
    /// The waiting line's next change, in seconds before the end.
    private var nextChange: Int64 = .max
    private var hasShownTime = false

    init(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, _ settings: ScreenSettings, on screen: Screen,
        _ signals: SignalWatch, _ clock: any Clock
    ) {
        self.screen = screen
        self.signals = signals
        self.clock = clock
        end = prompt.end
        approval = prompt.approval
        let form = screen.form
        // One write, since another git's output must not appear between "enter this code" and the code.
        screen.write(SignInScreen.block(prompt, askedBy: asker, in: AskingCommand.folder, form))
        // A terminal that cannot rewrite a line, such as an editor's, handles keys in its own way, but can paste.
        let isPasted = if case .pastedAddress = approval { true } else { false }
        keys = form.style.rewrites || form.style.isAccessible || isPasted ? TerminalKeys(for: screen.number) : nil
        aids = SignInAids(
            prompt, settings, .here, form, now: clock.uptimeMilliseconds, environment: { Environment[$0] })
        signals.willStop = { [weak self] in self?.keys?.giveBack() }
        signals.hasContinued = { [weak self] in
            self?.keys?.takeAgain()
            // The shell has written over the waiting line.
            self?.nextChange = .max
        }
        keys?.take()
        // If nothing is in progress, the line that describes the keys comes before the waiting line at once.
        show(aids.update(now: clock.uptimeMilliseconds, areKeysTaken: keys?.areTaken ?? false))
        showTimeLeft()
    }

    var keyDescriptor: Int32? { keys?.descriptor }

    /// Milliseconds of uptime for the next `attend`, or `nil` if nothing is in progress.
    var nextLook: Int64? { aids.nextLook(after: clock.uptimeMilliseconds) }

    /// Handles the keys; returns the person's decision, or `nil` if the wait goes on.
    func attend() -> WaitOutcome? {
        keys?.take()
        let now = clock.uptimeMilliseconds
        if case .pastedAddress = approval {
            pasted = nil
            switch keys?.input(&line) {
            case .line(let address)?:
                pasted = address
                return .pasted
            case .key(.quit)?: return .cancelled
            case .key(let key)?: show(aids.press(key, now: now))
            case nil: break
            }
        } else {
            for key in keys?.pressed() ?? [] {
                if key == .quit { return .cancelled }
                if key == .deviceCode, case .browser(_, offersDeviceCode: true) = approval { return .wantsDeviceCode }
                show(aids.press(key, now: now))
            }
        }
        show(aids.update(now: now, areKeysTaken: keys?.areTaken ?? false))
        showTimeLeft()
        return nil
    }

    func dismiss() {
        signals.willStop = nil
        signals.hasContinued = nil
        keys?.giveBack()
    }

    private func show(_ outputs: [SignInAids.Output]) {
        for output in outputs {
            switch output {
            case .control(let sequence): screen.send(sequence)
            case .replacement(let lines, let count):
                screen.replace(count, with: lines)
                nextChange = .max
            case .lines(let lines):
                screen.replaceLine(with: lines)
                // The waiting line follows again after the new text.
                if screen.style.rewrites { nextChange = .max }
            }
        }
    }

    private func showTimeLeft() {
        let seconds = (end - clock.uptimeMilliseconds + 999) / 1_000
        guard seconds <= nextChange else { return }
        // The shell's prompt may be there by now; a git in the background shows the line only once.
        if hasShownTime, keys?.isForeground == false { return }
        hasShownTime = true
        let form = screen.form
        let line = WaitingLine.text(seconds: seconds, form)
        let rewrites = form.style.rewrites && WaitingLine.fits(line, form)
        nextChange = WaitingLine.nextChange(before: seconds, rewrites: rewrites)
        screen.rewriteLine(line)
    }
}

/// The person's terminal: standard error if it is one, or else the controlling terminal.
private final class Screen {
    let number: Int32
    private let opened: FileDescriptor?
    /// The columns of the open line, which will be replaced, or `nil` if there is none.
    private var openLine: Int?
    /// Determined when there is first something to show, since it depends on git's configuration.
    private(set) lazy var style = makeStyle()
    private let makeStyle: () -> ScreenStyle

    init?(style: @escaping () -> ScreenStyle) {
        makeStyle = style
        if isatty(STDERR_FILENO) == 1 {
            number = STDERR_FILENO
            opened = nil
        } else {
            guard let terminal = FileDescriptor(opening: "/dev/tty", O_WRONLY | O_NOCTTY) else { return nil }
            number = terminal.number
            opened = consume terminal
        }
    }

    /// Computed each time, since the window may change.
    var form: ScreenForm { ScreenForm(of: number, style) }

    /// Writes the lines in one call, since other processes write to the same terminal.
    func write(_ lines: [String]) { send(lines.map { $0 + "\n" }.joined()) }

    /// Writes a line that can be replaced later, or an ordinary one if the terminal cannot replace lines.
    func rewriteLine(_ line: String) {
        guard style.rewrites, WaitingLine.fits(line, form) else { return replaceLine(with: [line]) }
        send(start + line + (openLine == nil ? "" : "\u{1b}[K"))
        openLine = Language.columns(of: line)
    }

    /// Takes over a line that another process has left open.
    func takeOverLine() { openLine = style.rewrites ? 0 : nil }

    func replaceLine(with lines: [String] = []) {
        let start = openLine == nil ? "" : start + "\u{1b}[K"
        openLine = nil
        guard !start.isEmpty || !lines.isEmpty else { return }
        send(start + lines.map { $0 + "\n" }.joined())
    }

    /// Replaces the open line and so many lines above it.
    func replace(_ count: Int, with lines: [String]) {
        replaceLine()
        guard count > 0 else { return write(lines) }
        // Cursor up, erase to the end (ECMA-48, CUU and ED).
        send("\u{1b}[\(count)A\u{1b}[J" + lines.map { $0 + "\n" }.joined())
    }

    /// The sequence to the start of the open line, or to a new one if a narrower window has wrapped it.
    private var start: String {
        guard let openLine else { return "" }
        return openLine <= form.columns ? "\r" : "\n"
    }

    func send(_ text: String) {
        var text = text
        // A write error is not fatal: the person may have approved already.
        text.withUTF8 { _ = FileDescriptor.write(UnsafeRawBufferPointer($0), to: number) }
    }
}
