internal import ArgumentParser
internal import Helper
internal import Language
internal import Messages

/// The verb `doctor [--json]`.
struct DoctorVerb: PersonsVerb {
    static let configuration = CommandConfiguration("doctor", HelpWords.Doctor.verb)

    @Flag(help: ArgumentHelp(HelpWords.json))
    var json = false

    func command(_ start: VerbStart) -> Doctor {
        let root = start.root(for: nil)
        return Doctor(with: root.dependencies, with: root.inspections())
    }
}
