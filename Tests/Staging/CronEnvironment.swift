/// The environment of cron(8), systemd's timers and `env -i`: a person's programs outside their session.
package enum CronEnvironment {
    private static let script = BuiltFiles.script("as-cron.sh")

    /// Whether this machine lets the tests have their own /run; otherwise they would see that of the person.
    package static let isAvailable = (try? RunningProgram.run([script, "-", "true"]).status) == 0

    /// The command line that runs another command in that environment.
    package static func command(withBusOf session: Session?, _ command: [String]) -> [String] {
        [script, session.map(bus) ?? "-", "env"] + command
    }

    package static func bus(of session: Session) -> String { (session.environment["XDG_RUNTIME_DIR"] ?? "") + "/bus" }
}
