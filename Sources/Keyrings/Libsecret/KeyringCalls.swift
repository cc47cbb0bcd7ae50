internal import CLibsecret
internal import CredentialCore
internal import GLibSupport
internal import System

/// One deadline for all calls, which is not charged with the time of a prompt (`PendingCalls`).
///
/// libsecret blocks in one place: when an answer names a prompt, it creates a proxy for it with two synchronous calls
/// to the bus itself (never to the keyring); GDBus waits 25 seconds for each. So no keyring can delay us beyond the
/// deadline; only a bus that stops between two messages can, and then for 50 seconds.
final class KeyringCalls {
    /// Replaced during a call that has its own.
    var deadline: Deadline
    /// A prompt that is cancelled also needs this time, to disappear from the screen.
    private let calls = PendingCalls<KeyringError>(graceMilliseconds: 250)
    private let limits: KeyringLimits
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

    /// The time that a prompt is open does not count.
    ///
    /// `interrupted` is polled while waiting, at least every 100 milliseconds.
    init(
        within limits: KeyringLimits, interrupted: @escaping () -> Bool,
        willPrompt: @escaping (KeyringProgram) -> Void
    ) {
        deadline = limits.deadline(in: limits.silentMilliseconds)
        self.limits = limits
        self.interrupted = interrupted
        self.willPrompt = willPrompt
    }

    /// A deadline of its own for a call.
    func deadline(in milliseconds: Int) -> Deadline { limits.deadline(in: milliseconds) }

    /// - Throws: `.unresponsive` at the deadline, `.interrupted`.
    func run(
        watching service: UnsafeMutablePointer<SecretService>? = nil, prompting: Prompting = .none,
        _ start: PendingCalls<KeyringError>.Start
    ) throws(KeyringError) -> ObjectReference {
        deadline.skip()
        var isAnnounced = false
        let result = try calls.run(start) { () throws(KeyringError) in
            let opened = service.flatMap { PromptingService.promptBegan(of: $0) }
            try check(&isAnnounced, promptOpened: opened, prompting)
        }
        _ = deadline.left()
        return result
    }

    /// - Throws: `.unresponsive` if the deadline comes first, `.interrupted`.
    func pause(milliseconds: Int64) throws(KeyringError) {
        var pause = Deadline(in: milliseconds)
        deadline.skip()
        var isAnnounced = false
        try calls.wait(for: { pause.lasts() ? nil : () }) { () throws(KeyringError) in
            try check(&isAnnounced, promptOpened: nil, .none)
        }
        _ = deadline.left()
    }

    /// Only the time in which no person is prompted is charged.
    private func check(
        _ isAnnounced: inout Bool, promptOpened: Int64?, _ prompting: Prompting
    ) throws(KeyringError) {
        if interrupted() { throw .interrupted }
        guard let promptOpened, case .announced(let delay) = prompting else {
            guard deadline.lasts() else {
                throw .unresponsive(seconds: Int(deadline.milliseconds + 999) / 1000)
            }
            return
        }
        deadline.skip()
        let open = GLibProcess.now - promptOpened
        if open >= Int64(limits.promptMilliseconds) {
            throw .unresponsive(seconds: limits.promptMilliseconds / 1000)
        }
        if !isAnnounced, open >= delay {
            isAnnounced = true
            willPrompt(program)
        }
    }
}

package struct KeyringLimits {
    /// All calls of the process together, not counting the time of prompts.
    ///
    /// With the quarter of a second that the front door has waited before, and another for a call that is cancelled,
    /// a person waits for an unresponsive keyring for at most five seconds; where others want to run as well, once more
    /// for each of them (`crowd`).
    package var silentMilliseconds = 4_400
    /// One prompt, from the moment it appears.
    package var promptMilliseconds = 120_000
    /// A prompt that should complete without a person.
    package var unaskedMilliseconds = 1_000
    /// One save with all its attempts; it has its own deadline, since a token that was just obtained must not be lost.
    package var saveMilliseconds = 10_000
    /// In milliseconds.
    package var uptime: () -> Int64 = { GLibProcess.now }
    /// Thirty-two gits at once are served by one keyring, which works while it lets one of them wait.
    package var crowd: () -> Int64 = { Crowd.now }

    package init() {}

    func deadline(in milliseconds: Int) -> Deadline {
        Deadline(in: Int64(milliseconds), uptime: uptime, crowd: crowd)
    }
}

/// The attributes for a search: C strings by name.
struct AttributeTable: ~Copyable {
    let pointer: OpaquePointer?

    /// Only those that D-Bus can carry (`ItemAttributes.isExpressible`).
    init(_ attributes: [(name: String, value: [UInt8])]) {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        for (name, value) in attributes {
            let copy = (value + [0]).withUnsafeBytes { g_strdup($0.assumingMemoryBound(to: CChar.self).baseAddress) }
            g_hash_table_insert(pointer, g_strdup(name), copy)
        }
    }

    deinit { g_hash_table_unref(pointer) }
}

/// The properties of a new object: values by their full names.
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
    /// D-Bus strings are UTF-8 without NUL.
    var isExpressible: Bool {
        named.allSatisfy { _, value in !value.contains(0) && String(validating: value, as: UTF8.self) != nil }
    }
}
