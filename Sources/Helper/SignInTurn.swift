import CredentialCore
import Providers

extension SignIn {
    /// Milliseconds for three codes of 15 minutes each.
    private static let longestWait: Int64 = 3 * 900_000
    /// The number of looks before the wait is reported.
    private static let looksBeforeSaying = 3
    /// The number of looks without knowing where the person is asked.
    ///
    /// The holder of the lock notes the place within milliseconds, or seconds on a busy machine.
    private static let looksWithoutPlace = 40
    /// Milliseconds in which the asking process notices a cancellation here.
    private static let cancelling: Int64 = 2_000

    /// Waits for the turn: one process at a time signs in to an account, and the others wait and show the reason.
    ///
    /// The asking process may be in a terminal that nobody sees, such as an editor's, so the others show its page and
    /// code too, and a refusal at any of them counts for all.
    func takeTurn(at server: OAuthServer) throws(OperationFailure) -> any HeldLock {
        var looks = 0
        var isSaid = false
        var isElsewhere = false
        var shown: NotedCode?
        var waitingLine: (any HeldLock)?
        defer {
            waitingLine?.release()
            if shown != nil { dependencies.ui.dismissPrompt() }
        }
        var end = WaitOutcome.elapsed
        do {
            return try dependencies.locks.acquire(lockName, within: Self.longestWait) {
                looks += 1
                if !isSaid, looks >= Self.looksBeforeSaying,
                    let place = dependencies.signInNotes.place(of: lockName)
                        ?? (looks < Self.looksWithoutPlace ? nil : .elsewhere)
                {
                    isSaid = true
                    waitingLine = sayThatWeWait(for: place)
                    isElsewhere = place == .anotherTerminal || place == .elsewhere
                }
                if isElsewhere, let code = show(besides: shown, from: server) { shown = code }
                end = dependencies.ui.wait(milliseconds: 0, until: nil)
                return end == .elapsed
            }
        } catch .stopped {
            if shown != nil, end == .cancelled { cancelForAll() }
            throw end == .unanswered ? .failed(.otherNotFinished(host: host)) : .known
        } catch .timedOut {
            throw .failed(.otherNotFinished(host: host))
        } catch {
            throw .failed(.noLock(error))
        }
    }

    /// Shows the current code, if it is another one and there is a terminal.
    private func show(besides shown: NotedCode?, from server: OAuthServer) -> NotedCode? {
        guard dependencies.ui.hasTerminal, let code = dependencies.signInNotes.code(of: lockName), code != shown,
            let authorization = DeviceAuthorization(
                userCode: code.userCode, page: code.page,
                expiresIn: (code.end - dependencies.clock.uptimeMilliseconds) / 1_000, from: server)
        else { return nil }
        show(.deviceCode(authorization), until: code.end, isRenewal: shown != nil)
        return code
    }

    private func cancelForAll() {
        dependencies.signInNotes.cancel(lockName)
        dependencies.ui.say(.cancelled)
        // Only the lock's holder may write the note; the other process is about to release the lock.
        guard !isExplicit,
            let lock = try? dependencies.locks.acquire(lockName, within: Self.cancelling, whileWaiting: { true })
        else { return }
        dependencies.signInNotes.noteRefusal(of: lockName)
        lock.release()
    }

    /// Reports the wait, once for all fetches of a command: a line for each remote would hide the code.
    ///
    /// - Returns: the right to that line, to be held as long as the wait lasts.
    private func sayThatWeWait(for place: SignInLocation) -> (any HeldLock)? {
        var line: (any HeldLock)?
        if place == .thisCommand {
            let name = LockName.waitingLine(for: context.username, on: context.host.name)
            guard let free = try? dependencies.locks.acquire(name, within: 0, whileWaiting: { false }) else {
                return nil
            }
            line = free
        }
        dependencies.ui.say(.waitingForOtherSignIn(place))
        return line
    }
}
