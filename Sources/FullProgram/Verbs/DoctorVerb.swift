internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System

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

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        let root = CompositionRoot(streams, signals, for: nil)
        let doctor = Doctor(with: root.dependencies, with: root.inspections())
        var diagnoses: [Diagnosis] = []
        doctor.examine { diagnosis in
            diagnoses.append(diagnosis)
            // At once: the next answer may take seconds.
            if !json { say(Self.lines(diagnosis), on: streams) }
        }
        if json { _ = streams.send("[\n" + diagnoses.map(Self.json).joined(separator: ",\n") + "\n]\n") }
        if signals.look() { return Login.End.cancelled.rawValue }
        return diagnoses.contains { $0.result == .fail } ? Login.End.failed.rawValue : Login.End.done.rawValue
    }

    private static func lines(_ diagnosis: Diagnosis) -> [Message] {
        // As wide as a mark.
        let margin = "      "
        return [.marked(mark(diagnosis.result), diagnosis.text)] + diagnosis.hints.map { .marked(margin, $0) }
    }

    private static func mark(_ result: Diagnosis.Result) -> String {
        switch result {
        case .ok: "[ OK ]"
        case .fail: "[FAIL]"
        case .warn: "[WARN]"
        case .skip: "[SKIP]"
        }
    }

    private static func json(_ diagnosis: Diagnosis) -> String {
        let members = [
            ("check", JSONText.string(diagnosis.check.rawValue)),
            ("result", JSONText.string(diagnosis.result.rawValue)),
            ("text", JSONText.string(diagnosis.text.english)),
            ("hints", JSONText.strings(diagnosis.hints.map(\.english))),
        ]
        return "  " + JSONText.object(members)
    }
}
