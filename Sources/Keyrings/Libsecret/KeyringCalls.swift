internal import CLibsecret
internal import CredentialCore
internal import GLibSupport
internal import System

/// One deadline for all calls, without the time of prompts (`PendingCalls`).
///
/// libsecret blocks in one place: for a prompt, it creates a proxy with two synchronous calls to the bus, each of at
/// most 25 seconds. So a bus that stops between two messages, but no keyring, can delay us by 50 seconds.
final class KeyringCalls {
    private(set) var deadline: Deadline
    /// `graceMilliseconds` lets a cancelled prompt disappear from the screen.
    private let calls = PendingCalls<KeyringError>(graceMilliseconds: 250)
    private let limits: KeyringLimits
    private let interrupted: () -> Bool
    private let willPrompt: (KeyringProgram) -> Void
    /// The program that prompts, for `willPrompt`.
    var program = KeyringProgram.other(nil)

    enum Prompting {
        /// The deadline holds even for a prompt, such as KeePassXC's, that completes by itself.
        case none
        /// The deadline is extended while a prompt is open; the person is told after this many milliseconds.
        case announced(afterMilliseconds: Int64)
    }

    init(
        within limits: KeyringLimits, interrupted: @escaping () -> Bool, willPrompt: @escaping (KeyringProgram) -> Void
    ) {
        deadline = limits.deadline(in: limits.silentMilliseconds)
        self.limits = limits
        self.interrupted = interrupted
        self.willPrompt = willPrompt
    }

    /// Makes calls that have a deadline of their own.
    func within<Value>(_ milliseconds: Int, _ body: () throws(KeyringError) -> Value) throws(KeyringError) -> Value {
        let usual = deadline
        deadline = limits.deadline(in: milliseconds)
        defer { deadline = usual }
        return try body()
    }

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

    /// Checks the deadline; the time of a prompt does not count.
    private func check(_ isAnnounced: inout Bool, promptOpened: Int64?, _ prompting: Prompting) throws(KeyringError) {
        if interrupted() { throw .interrupted }
        guard let promptOpened, case .announced(let delay) = prompting else {
            guard deadline.lasts() else { throw .unresponsive(seconds: Int(deadline.milliseconds + 999) / 1000) }
            return
        }
        deadline.skip()
        let open = GLibProcess.now - promptOpened
        if open >= Int64(limits.promptMilliseconds) { throw .unresponsive(seconds: limits.promptMilliseconds / 1000) }
        if !isAnnounced, open >= delay {
            isAnnounced = true
            willPrompt(program)
        }
    }
}

package struct KeyringLimits {
    /// All calls of the process together, without the time of prompts.
    ///
    /// With a quarter of a second in the front door, and another for a cancelled call, an unresponsive keyring costs at
    /// most five seconds, and as much again for each process that competes for the processor (`crowd`).
    package var silentMilliseconds = 4_400
    /// A prompt's time, from its appearance.
    package var promptMilliseconds = 120_000
    /// A prompt that should complete without a person.
    package var unaskedMilliseconds = 1_000
    /// One save with all its attempts, whose own deadline keeps a new token from being lost.
    package var saveMilliseconds = 10_000
    /// Milliseconds.
    package var uptime: () -> Int64 = { GLibProcess.now }
    /// The number of competing processes: one keyring may serve dozens of gits at once.
    package var crowd: () -> Int64 = { Crowd.now }

    package init() {}

    func deadline(in milliseconds: Int) -> Deadline { Deadline(in: Int64(milliseconds), uptime: uptime, crowd: crowd) }
}

/// A GHashTable with strings as keys, which owns its keys and values.
struct StringTable: ~Copyable {
    let pointer: OpaquePointer?

    /// The attributes must be expressible in D-Bus (`ItemAttributes.isExpressible`).
    init(_ attributes: [(name: String, value: [UInt8])]) {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        for (name, value) in attributes {
            let copy = (value + [0]).withUnsafeBytes { g_strdup($0.assumingMemoryBound(to: CChar.self).baseAddress) }
            g_hash_table_insert(pointer, g_strdup(name), copy)
        }
    }

    init(properties: [(name: String, value: VariantValue)]) {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free) { g_variant_unref(OpaquePointer($0)) }
        for (name, value) in properties {
            let variant = Variant(value)
            g_hash_table_insert(pointer, g_strdup(name), UnsafeMutableRawPointer(g_variant_ref(variant.pointer)))
        }
    }

    deinit { g_hash_table_unref(pointer) }
}

extension ItemAttributes {
    /// Whether all values are valid strings in D-Bus: UTF-8 without NUL.
    var isExpressible: Bool {
        named.allSatisfy { _, value in !value.contains(0) && String(validating: value, as: UTF8.self) != nil }
    }
}
