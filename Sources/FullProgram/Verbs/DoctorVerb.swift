internal import ArgumentParser
internal import Commands
internal import Helper

/// The verb `doctor [--json]`.
struct DoctorVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look at everything that a sign-in needs.",
        discussion: """
            Keyring, git and its helpers, client ID, network, clock and accounts: a line each, and below a fault what \
            mends it. Changes nothing, but for one item in an open keyring that is removed again. Exits with 1 if \
            anything failed.
            """)

    @Flag(help: "Print an array of objects for programs.")
    var json = false

    func command(_ start: VerbStart) -> Doctor {
        let root = start.root(for: nil)
        return Doctor(with: root.dependencies, with: root.inspections())
    }
}
