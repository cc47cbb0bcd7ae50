internal import CLibsecret
internal import CredentialCore
internal import GLibSupport
internal import System

/// Runs the calls to the keyring within one time budget, to which the time of a prompt is not charged (`PendingCalls`).
///
/// libsecret blocks in one place: when an answer names a prompt, it creates a proxy for it with two synchronous calls
/// to the bus itself (never to the keyring); GDBus waits 25 seconds for each. So no keyring can delay us beyond the
/// deadline; only a bus that stops between two messages can, and then for 50 seconds.
final class KeyringCalls {
    /// The time left for calls; replaced during a call that has its own budget.
    var budget: TimeBudget
    /// A prompt that is cancelled also needs this time, to disappear from the screen.
    private let calls = PendingCalls<KeyringError>(graceMilliseconds: 250)
    private let promptMilliseconds: Int
    private let interrupted: () -> Bool
    private let willPrompt: (KeyringProgram) -> Void
    /// The program that prompts, for `willPrompt`.
    var program = KeyringProgram.other(nil)

    /// How long a call may wait for a person.
    enum Prompting {
        /// Not at all: the deadline stays the same even if the service names a prompt. KeePassXC answers each
        /// creation and deletion with a prompt that completes by itself.
        case none
        /// As long as a prompt may be open. The person is told once it has been open for this many milliseconds.
        case announced(afterMilliseconds: Int64)
    }

    /// Prepares to run calls.
    ///
    /// - Parameters:
    ///   - budget: the time for all calls together, not counting the time that a prompt is open.
    ///   - promptMilliseconds: how long one prompt may be open.
    ///   - interrupted: polled while waiting, at least every 100 milliseconds.
    ///   - willPrompt: called when a person is prompted.
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
        _ start: PendingCalls<KeyringError>.Start
    ) throws(KeyringError) -> ObjectReference {
        var watch = Watch()
        let result = try calls.run(start) { () throws(KeyringError) in
            let opened = service.flatMap { PromptingService.promptBegan(of: $0) }
            try check(&watch, promptOpened: opened, prompting)
        }
        budget.spend(watch.lap())
        return result
    }

    /// Waits before another attempt, within the budget.
    ///
    /// - Throws: `.unresponsive` if the budget ends first, `.interrupted`.
    func pause(milliseconds: Int64) throws(KeyringError) {
        let end = GLibProcess.now + milliseconds
        var watch = Watch()
        try calls.wait(for: { GLibProcess.now >= end ? () : nil }) { () throws(KeyringError) in
            try check(&watch, promptOpened: nil, .none)
        }
        budget.spend(watch.lap())
    }

    /// The state of one wait: when it was last checked, and whether the person has been told of a prompt.
    private struct Watch {
        private var last = GLibProcess.now
        var isAnnounced = false

        /// The milliseconds to charge for the time since the last check.
        mutating func lap() -> Int64 {
            let now = GLibProcess.now
            defer { last = now }
            return Patience.charge(for: now - last)
        }
    }

    /// Charges the budget for the time in which no person is prompted, and ends the wait once it is used up.
    private func check(_ watch: inout Watch, promptOpened: Int64?, _ prompting: Prompting) throws(KeyringError) {
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

/// How long we wait for the keyring, in all calls that share the budget.
final class TimeBudget {
    /// The initial time, in milliseconds.
    let milliseconds: Int
    /// The remaining time, in milliseconds.
    private(set) var remaining: Int64

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
        remaining = Int64(milliseconds)
    }

    /// Deducts time that was spent waiting, in milliseconds.
    func spend(_ milliseconds: Int64) { remaining -= min(max(milliseconds, 0), remaining) }

    /// The error once it is used up.
    var exhausted: KeyringError { .unresponsive(seconds: (milliseconds + 999) / 1000) }
}

/// How long the keyring may take, in milliseconds.
package struct KeyringLimits {
    /// All calls of the process together, not counting the time of prompts.
    ///
    /// With the quarter of a second that the front door has waited before, and another for a call that is cancelled,
    /// a person waits for an unresponsive keyring for at most five seconds.
    package var silentMilliseconds = 4_400
    /// One prompt, from the moment it appears.
    package var promptMilliseconds = 120_000
    /// A prompt that should complete without a person.
    package var unaskedMilliseconds = 1_000
    /// One save with all its attempts; it has its own budget, since a token that was just obtained must not be lost.
    package var saveMilliseconds = 10_000

    package init() {}
}

/// Attributes as libsecret takes them for a search: C strings by name.
struct AttributeTable: ~Copyable {
    let pointer: OpaquePointer?

    /// Copies the attributes that have a value.
    ///
    /// - Parameter attributes: only those that D-Bus can carry (`ItemAttributes.isExpressible`).
    init(_ attributes: [(name: String, value: [UInt8])]) {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        for (name, value) in attributes {
            let copy = (value + [0]).withUnsafeBytes { g_strdup($0.assumingMemoryBound(to: CChar.self).baseAddress) }
            g_hash_table_insert(pointer, g_strdup(name), copy)
        }
    }

    deinit { g_hash_table_unref(pointer) }
}

/// Properties as libsecret takes them for a new object: values by their full names.
struct PropertyTable: ~Copyable {
    let pointer: OpaquePointer?

    init() {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free) { g_variant_unref(OpaquePointer($0)) }
    }

    deinit { g_hash_table_unref(pointer) }

    func set(_ name: String, to value: borrowing Variant) {
        g_hash_table_insert(pointer, g_strdup(name), UnsafeMutableRawPointer(g_variant_ref(value.pointer)))
    }
}

extension ItemAttributes {
    /// Whether D-Bus can carry every value: its strings are UTF-8 without NUL.
    var isExpressible: Bool {
        named.allSatisfy { _, value in !value.contains(0) && String(validating: value, as: UTF8.self) != nil }
    }
}
