/// The environment of what runs without a session of its own, for a person who has one: cron(8), systemd's timers,
/// `env -i`.
package enum CronEnvironment {
    private static let script = BuiltFiles.script("as-cron.sh")

    /// Whether this machine lets the tests have a /run of their own; without it, they would look at the person's.
    package static let isAvailable = (try? RunningProgram.run([script, "-", "true"]).status) == 0

    /// The command by which another one is run there.
    ///
    /// - Parameters:
    ///   - session: whose bus is found as `/run/user/UID/bus`; nil for none.
    ///   - command: the command; it may begin with variables.
    /// - Returns: the program and its arguments.
    package static func command(withBusOf session: Session?, _ command: [String]) -> [String] {
        [script, session.map(bus) ?? "-", "env"] + command
    }

    /// The socket of a session's bus.
    package static func bus(of session: Session) -> String { (session.environment["XDG_RUNTIME_DIR"] ?? "") + "/bus" }
}
