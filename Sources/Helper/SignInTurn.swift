import CredentialCore
internal import Messages

/// One process at a time signs in to an account; the others wait, and say for what.
struct SignInTurn {
    private let name: LockName
    private let context: SignInContext
    private let dependencies: Dependencies

    /// In milliseconds: three codes of 15 minutes each.
    private static let longestWait: Int64 = 3 * 900_000

    /// Before it is said that we wait.
    private static let looksBeforeSaying = 3

    /// Likewise without knowing where the person is asked: whoever has just taken the lock notes it within
    /// milliseconds, or seconds on a busy machine.
    private static let looksWithoutPlace = 40

    init(_ name: LockName, _ context: SignInContext, with dependencies: Dependencies) {
        self.name = name
        self.context = context
        self.dependencies = dependencies
    }

    private var host: DisplayText { context.host.displayName }

    func take() throws(OperationFailure) -> any HeldLock {
        var looks = 0
        var isSaid = false
        var waitingLine: (any HeldLock)?
        defer { waitingLine?.release() }
        var end = WaitOutcome.elapsed
        do {
            return try dependencies.locks.acquire(name, within: Self.longestWait) {
                looks += 1
                if !isSaid, looks >= Self.looksBeforeSaying, let place = placeOfOther(looks) {
                    isSaid = true
                    waitingLine = sayThatWeWait(for: place)
                }
                end = dependencies.ui.wait(milliseconds: 0, until: nil)
                return end == .elapsed
            }
        } catch .stopped {
            throw end == .unanswered ? .failed(.otherNotFinished(host: host)) : .known
        } catch .timedOut {
            throw .failed(.otherNotFinished(host: host))
        } catch {
            throw .failed(.lockImpossible)
        }
    }

    /// Nil as long as it may yet be noted.
    private func placeOfOther(_ looks: Int) -> SignInLocation? {
        dependencies.signInNotes.place(of: name) ?? (looks < Self.looksWithoutPlace ? nil : .elsewhere)
    }

    /// In a command of many fetches this is said once, below the code: as often as there are remotes, it would hide it.
    ///
    /// - Returns: the right to that line, to be held as long as it is true.
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
