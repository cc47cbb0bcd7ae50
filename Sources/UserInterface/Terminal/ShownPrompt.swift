internal import CredentialCore
internal import Helper
internal import Messages
internal import OAuth
internal import System

/// A prompt on the screen, from when it is shown until it has served or failed: the keys, the aids, the waiting line.
final class ShownPrompt {
    private let screen: Screen
    private let keys: TerminalKeys?
    private let signals: SignalWatch
    private let end: Int64
    private var aids: SignInAids
    private let clock: any Clock
    /// When the waiting line changes next, in seconds left.
    private var nextChange: Int64 = .max
    private var hasShownTime = false

    /// Shows a prompt.
    ///
    /// - Parameters:
    ///   - prompt: what to show.
    ///   - asker: who asks; nil if that goes without saying.
    ///   - settings: what the person has configured.
    ///   - screen: where they read.
    ///   - signals: tells when the process is stopped, and goes on.
    ///   - clock: the time.
    init(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, _ settings: ScreenSettings, on screen: Screen,
        _ signals: SignalWatch, _ clock: any Clock
    ) {
        self.screen = screen
        self.signals = signals
        self.clock = clock
        end = prompt.end
        let form = screen.form
        // In one write: what another git says meanwhile must not stand between "enter this code" and the code.
        screen.write(SignInScreen.block(prompt, askedBy: asker, in: AskingCommand.folder, form))
        // A terminal that cannot go back in a line, such as an editor's, has its own idea of keys.
        let knowsKeys = form.style.rewrites || form.style.isAccessible
        keys = knowsKeys ? TerminalKeys(for: screen.number) : nil
        aids = SignInAids(
            prompt, settings, .here, form, now: clock.uptimeMilliseconds, environment: { Environment[$0] })
        signals.willStop = { [weak self] in self?.keys?.giveBack() }
        signals.hasContinued = { [weak self] in self?.comeBack() }
        keys?.take()
        // Without anything on its way, the line that tells of the keys stands before the waiting line at once.
        show(aids.goOn(now: clock.uptimeMilliseconds, areKeysTaken: keys?.areTaken ?? false))
        showTimeLeft()
    }

    /// What becomes readable when a key is pressed; nil if none is listened to.
    var keyDescriptor: Int32? { keys?.descriptor }

    /// When to attend again at the latest, in milliseconds of uptime; nil if nothing is on its way.
    var nextLook: Int64? { aids.nextLook(after: clock.uptimeMilliseconds) }

    /// Hears the keys, goes on with what is on its way, keeps the time left true.
    ///
    /// - Returns: false if the person wants to quit.
    func attend() -> Bool {
        keys?.take()
        let now = clock.uptimeMilliseconds
        for key in keys?.pressed() ?? [] {
            if key == .quit { return false }
            show(aids.press(key, now: now))
        }
        show(aids.goOn(now: now, areKeysTaken: keys?.areTaken ?? false))
        showTimeLeft()
        return true
    }

    /// Gives the keys back; what stands on the screen stays.
    func dismiss() {
        signals.willStop = nil
        signals.hasContinued = nil
        keys?.giveBack()
    }

    private func comeBack() {
        keys?.takeAgain()
        // The shell has written where the waiting line stood.
        nextChange = .max
    }

    private func show(_ outputs: [SignInAids.Output]) {
        for output in outputs {
            switch output {
            case .control(let sequence): screen.control(sequence)
            case .lines(let lines):
                screen.replaceLine(with: lines)
                // What took the waiting line's place is followed by it again.
                if screen.style.rewrites { nextChange = .max }
            }
        }
    }

    private func showTimeLeft() {
        let seconds = (end - clock.uptimeMilliseconds + 999) / 1_000
        guard seconds <= nextChange else { return }
        // The shell's prompt may stand there by now; once is enough for whoever has started git in the background.
        if hasShownTime, keys?.isForeground == false { return }
        hasShownTime = true
        let form = screen.form
        let line = WaitingLine.text(seconds: seconds, form)
        let rewrites = form.style.rewrites && WaitingLine.fits(line, form)
        nextChange = WaitingLine.nextChange(before: seconds, rewrites: rewrites)
        screen.rewriteLine(line)
    }
}
