import Staging

/// Faults of the keyring's daemon.
extension Machine {
    /// The process that owns a name on the bus; `nil` if there is none.
    func process(named name: String) async throws -> pid_t? {
        let end = try await session.run([
            "gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus",
            "--method", "org.freedesktop.DBus.GetConnectionUnixProcessID", name,
        ])
        // The output is `(uint32 4711,)`.
        return end.status == 0 ? pid_t(end.output.drop { $0 != " " }.filter(\.isNumber)) : nil
    }

    /// The keyring's daemon: the session's own, or the one that the bus started after that was killed.
    func daemon() async throws -> pid_t {
        guard let process = try await process(named: "org.freedesktop.secrets") else {
            throw NeverHappened(description: "a keyring on the bus")
        }
        return process
    }

    /// Kills the daemon like a crash; the bus starts a locked one for the next caller.
    func killDaemon() async throws {
        let old = try await daemon()
        kill(old, SIGKILL)
        try await eventually("the end of the keyring's daemon") { kill(old, 0) != 0 || isZombie(old) }
    }

    /// Unlocks the keyring without a desktop.
    func unlock() async throws {
        let password = session.environment["KEYRING_PASSWORD"] ?? ""
        try await session.run([BuiltFiles.helper, "unlock"], input: password + "\n").succeeded()
    }

    /// Stops the daemon with SIGSTOP while `body` runs.
    func whileDaemonIsStopped(_ body: () async throws -> Void) async throws {
        let process = try await daemon()
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        try await body()
    }

    /// Whether a process has ended but its parent has not waited for it.
    private func isZombie(_ process: pid_t) -> Bool { statusFields(of: process).first == "Z" }
}
