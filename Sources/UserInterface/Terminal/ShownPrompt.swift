internal import CredentialCore
internal import Helper
internal import Language
internal import Providers
internal import System

/// A prompt with its keys, aids and waiting line, from its appearance until it is dismissed.
final class ShownPrompt {
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
        // A terminal that cannot rewrite a line, such as an editor's, handles keys in its own way.
        let knowsKeys = form.style.rewrites || form.style.isAccessible
        keys = knowsKeys ? TerminalKeys(for: screen.number) : nil
        aids = SignInAids(
            prompt, settings, .here, form, now: clock.uptimeMilliseconds, environment: { Environment[$0] })
        signals.willStop = { [weak self] in self?.keys?.giveBack() }
        signals.hasContinued = { [weak self] in self?.resume() }
        keys?.take()
        // If nothing is in progress, the line that describes the keys comes before the waiting line at once.
        show(aids.update(now: clock.uptimeMilliseconds, areKeysTaken: keys?.areTaken ?? false))
        showTimeLeft()
    }

    /// `nil` if keys are not read.
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

    /// Ends the prompt; its text stays on the screen.
    func dismiss() {
        signals.willStop = nil
        signals.hasContinued = nil
        keys?.giveBack()
    }

    private func resume() {
        keys?.takeAgain()
        // The shell has written over the waiting line.
        nextChange = .max
    }

    private func show(_ outputs: [SignInAids.Output]) {
        for output in outputs {
            switch output {
            case .control(let sequence): screen.control(sequence)
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
