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

/// The bus itself, asked without the keyring.
extension KeyringCalls {
    /// Connects to the bus; GIO shares the connection with libsecret while we hold it, so secrets travel on it.
    func connectToBus() throws(KeyringError) -> ObjectReference {
        if let refusal = GLibProcess.bus.refusal { throw .foreignBus(refusal) }
        guard let address = GLibProcess.sessionBus else { throw .noBus }
        // Another user's bus refuses us, or does not answer.
        let bus = try rethrowing(as: { address.refusal.map(KeyringError.foreignBus) ?? $0 }, try sharedConnection())
        if let refusal = GLibProcess.refusal(of: bus.opaque) { throw .foreignBus(refusal) }
        return bus
    }

    private func sharedConnection() throws(KeyringError) -> ObjectReference {
        let result = try run { g_bus_get(G_BUS_TYPE_SESSION, $0, $1, $2) }
        // Without a socket, or refused: no bus is usable.
        guard let bus = g_bus_get_finish(result.opaque, nil) else { throw .noBus }
        // GIO would end the process with SIGTERM when the bus goes away.
        g_dbus_connection_set_exit_on_close(bus, 0)
        return ObjectReference(taking: UnsafeMutableRawPointer(bus))
    }

    private func ask(_ bus: OpaquePointer, _ method: String, _ name: String) throws(KeyringError) -> Variant? {
        let service = "org.freedesktop.DBus"
        let arguments = Variant(.tuple([.string(name)]))
        let pointer = arguments.pointer
        let result = try run {
            g_dbus_connection_call(
                bus, service, "/org/freedesktop/DBus", service, method, pointer, nil, gitspace_call_none, -1, $0, $1, $2
            )
        }
        let reply = try KeyringError.checked { g_dbus_connection_call_finish(bus, result.opaque, $0) }
        return reply.map { Variant(taking: $0) }
    }

    func program(of owner: String, on bus: OpaquePointer) throws(KeyringError) -> KeyringProgram {
        let program = KeyringProgram(try programName(of: owner, on: bus))
        // In a sandbox (Flatpak), only the program's proxy is visible, whose other bus names identify the program.
        guard case .other = program, let window = try holder(of: "org.keepassxc.KeePassXC.MainWindow", on: bus),
            try holder(of: owner, on: bus) == window
        else { return program }
        return .keePassXC
    }

    private func holder(of name: String, on bus: OpaquePointer) throws(KeyringError) -> String? {
        do throws(KeyringError) {
            return try ask(bus, "GetNameOwner", name)?.onlyMember(ofTuple: "(s)")?.string
        } catch .noProvider {
            return nil
        }
    }

    func programName(of owner: String, on bus: OpaquePointer) throws(KeyringError) -> String? {
        try ask(bus, "GetConnectionUnixProcessID", owner)?.onlyMember(ofTuple: "(u)")?.uint32.flatMap(Self.programName)
    }

    /// The program of a process, from its arguments (proc(5)): `comm` is cut to 15 bytes.
    private static func programName(_ process: UInt32) -> String? {
        guard let program = ProcessEntry.arguments(of: Int32(clamping: process))?.first else { return nil }
        let name = program.split(separator: UInt8(ascii: "/")).last ?? []
        let isPlain = ASCII.isPlain(name, with: "-_.") && (1...64).contains(name.count)
        return isPlain ? String(decoding: name, as: UTF8.self) : nil
    }
}

/// A service that records when a prompt is open, by overriding libsecret's method that shows prompts.
///
/// Only a prompt extends the deadline. libsecret's own method never completes if a prompt is dismissed without a proper
/// result (`g_task_return_error: assertion 'error != NULL' failed`).
enum PromptingService {
    static let type: GType = g_type_register_static_simple(
        secret_service_get_type(), "GitspaceSecretService", guint(MemoryLayout<SecretServiceClass>.stride),
        initializeClass, guint(MemoryLayout<GitspaceSecretService>.stride), nil, gitspace_type_none)

    /// The domain of the error with which a dismissed prompt completes.
    static let dismissedDomain: GQuark = g_quark_from_static_string("gitspace-prompt-dismissed")

    private static let initializeClass: GClassInitFunc = { classPointer, _ in
        guard let overridden = classPointer?.assumingMemoryBound(to: SecretServiceClass.self) else { return }
        overridden.pointee.prompt_async = perform
        overridden.pointee.prompt_finish = finish
    }

    private typealias Perform =
        @convention(c) (
            UnsafeMutablePointer<SecretService>?, UnsafeMutablePointer<SecretPrompt>?, OpaquePointer?,
            UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, gpointer?
        ) -> Void

    private static let perform: Perform = { service, prompt, resultType, cancellable, callback, data in
        setPromptBegan(g_get_monotonic_time(), of: service)
        let task = g_task_new(service, cancellable, callback, data)
        secret_prompt_perform(prompt, nil, resultType, cancellable, complete, UnsafeMutableRawPointer(task))
    }

    /// Ends the task that `perform` began, and releases its reference.
    private static let complete: GAsyncReadyCallback = { prompt, performed, data in
        let task = OpaquePointer(data)
        let service = g_task_get_source_object(task)?.assumingMemoryBound(to: SecretService.self)
        setPromptBegan(0, of: service)
        var error: UnsafeMutablePointer<GError>?
        let result = secret_prompt_perform_finish(
            UnsafeMutableRawPointer(prompt)?.assumingMemoryBound(to: SecretPrompt.self), performed, &error)
        if let result {
            g_task_return_pointer(task, UnsafeMutableRawPointer(result)) { g_variant_unref(OpaquePointer($0)) }
        } else {
            g_task_return_error(task, error ?? g_error_new_literal(dismissedDomain, 0, "the prompt was dismissed"))
        }
        g_object_unref(data)
    }

    private typealias Finish =
        @convention(c) (
            UnsafeMutablePointer<SecretService>?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
        ) -> OpaquePointer?

    private static let finish: Finish = { _, task, error in OpaquePointer(g_task_propagate_pointer(task, error)) }

    private static func setPromptBegan(_ microseconds: gint64, of service: UnsafeMutablePointer<SecretService>?) {
        instance(service)?.pointee.prompt_began = microseconds
    }

    /// Milliseconds of the monotonic clock at which the current prompt opened, or `nil` if none is open.
    fileprivate static func promptBegan(of service: UnsafeMutablePointer<SecretService>) -> Int64? {
        instance(service).flatMap { $0.pointee.prompt_began == 0 ? nil : Int64($0.pointee.prompt_began) / 1000 }
    }

    private static func instance(
        _ service: UnsafeMutablePointer<SecretService>?
    ) -> UnsafeMutablePointer<GitspaceSecretService>? {
        UnsafeMutableRawPointer(service)?.assumingMemoryBound(to: GitspaceSecretService.self)
    }
}
