internal import CLibsecret
internal import CredentialCore
internal import GLibSupport
internal import System

/// Runs the calls to the keyring within one budget of time, which grows while a person is asked (`PendingCalls`).
///
/// One place blocks before a call returns: when an answer names a prompt, libsecret makes a proxy for it synchronously,
/// two questions to the bus itself (never to the keyring), for which GDBus waits 25 seconds each. So only a bus that stops
/// between two messages, and no keyring, can hold us longer than the deadline, and then for 50 seconds.
final class KeyringCalls {
    /// What a call may take; replaced while a call with an allowance of its own is under way.
    var budget: TimeBudget
    /// A prompt, too, needs the grace to vanish from the screen.
    private let calls = PendingCalls<CallFailure>(graceMilliseconds: 250)
    private let promptMilliseconds: Int
    private let interrupted: () -> Bool
    private let willPrompt: (KeyringProgram) -> Void
    /// Whose prompt it is, for the person.
    var program = KeyringProgram.other(nil)

    /// How long a call may wait for a person.
    enum Prompting {
        /// Not at all: the deadline stays what it is even if the service names a prompt. KeePassXC answers each
        /// creation and deletion with one that completes by itself.
        case none
        /// As long as the prompt may be open. The person is told once it has been open for so many milliseconds.
        case announced(afterMilliseconds: Int64)
    }

    /// Prepares to run calls.
    ///
    /// - Parameters:
    ///   - budget: for all calls together, but for the time that a prompt is open.
    ///   - promptMilliseconds: how long one prompt may be open.
    ///   - interrupted: polled while waiting, at least every 100 milliseconds.
    ///   - willPrompt: called when a person is about to be asked something.
    init(
        budget: TimeBudget, promptMilliseconds: Int, interrupted: @escaping () -> Bool,
        willPrompt: @escaping (KeyringProgram) -> Void
    ) {
        self.budget = budget
        self.promptMilliseconds = promptMilliseconds
        self.interrupted = interrupted
        self.willPrompt = willPrompt
    }

    /// Starts a call and waits for it.
    ///
    /// - Parameters:
    ///   - service: the service whose prompts are to be watched, if there is one yet.
    ///   - prompting: what to do while a prompt is open.
    ///   - start: starts the call.
    /// - Returns: the result to be given to the matching `…_finish` function.
    /// - Throws: `.unresponsive` at the deadline, `.interrupted`.
    func run(
        watching service: UnsafeMutablePointer<SecretService>? = nil, prompting: Prompting = .none,
        _ start: PendingCalls<CallFailure>.Start
    ) throws(CallFailure) -> ObjectReference {
        var watch = Watch()
        let result = try calls.run(start) { () throws(CallFailure) in
            let opened = service.flatMap { PromptingService.promptBegan(of: $0) }
            try check(&watch, promptOpened: opened, prompting)
        }
        budget.spend(watch.lap())
        return result
    }

    /// Waits before another attempt, within the budget.
    ///
    /// - Throws: `.unresponsive` if the budget ends before, `.interrupted`.
    func pause(milliseconds: Int64) throws(CallFailure) {
        let end = GLibProcess.now + milliseconds
        var watch = Watch()
        try calls.wait(for: { GLibProcess.now >= end ? () : nil }) { () throws(CallFailure) in
            try check(&watch, promptOpened: nil, .none)
        }
        budget.spend(watch.lap())
    }

    /// One wait: when it was last looked at, and whether the person has been told of a prompt.
    private struct Watch {
        private var last = GLibProcess.now
        var isAnnounced = false

        /// What the time since the last look is charged with, in milliseconds.
        mutating func lap() -> Int64 {
            let now = GLibProcess.now
            defer { last = now }
            return Patience.charge(for: now - last)
        }
    }

    /// Charges the budget for all time during which no person is asked, and ends the wait once it is used up.
    private func check(_ watch: inout Watch, promptOpened: Int64?, _ prompting: Prompting) throws(CallFailure) {
        if interrupted() { throw .interrupted }
        let spent = watch.lap()
        if let promptOpened, case .announced(let delay) = prompting {
            let open = GLibProcess.now - promptOpened
            if open >= Int64(promptMilliseconds) { throw .unresponsive(seconds: promptMilliseconds / 1000) }
            if !watch.isAnnounced, open >= delay {
                watch.isAnnounced = true
                willPrompt(program)
            }
        } else {
            budget.spend(spent)
            if budget.remaining == 0 { throw budget.exhausted }
        }
    }
}
