import Helper
import Language
import Messages
import Providers
import TestSupport
import Verbs

/// The doctor among doubles: a host that answers, and a machine on which everything is in order.
struct Examination {
    let helper = HelperFixture()
    let machine: ScriptedInspections

    init() { machine = ScriptedInspections(helper.doubles) }

    var doubles: Doubles { helper.doubles }

    /// Lets github.com answer: its page, its API, and whoever asks for the account.
    func answer(date: String? = "Tue, 14 Nov 2023 22:13:20 GMT", accounts: HTTPResponse...) {
        let headers = date.map { [("date", $0)] } ?? []
        for _ in 0..<2 { doubles.transport.answer(.json("{}", status: 404, headers: headers)) }
        accounts.forEach(doubles.transport.answer)
    }

    /// Everything that the doctor finds.
    func diagnoses() -> [Diagnosis] {
        doubles.run(Doctor(with: .forTests(doubles), with: machine.inspections)).reports
    }

    /// What is found about one thing.
    func diagnoses(_ check: Diagnosis.Check) -> [Diagnosis] { diagnoses().filter { $0.check == check } }
}

extension [Diagnosis] {
    /// The results alone.
    var results: [Diagnosis.Result] { map(\.result) }
    /// The sentences alone.
    var texts: [String] { map(\.words.what.english) }
    /// Everything that a person would read.
    var everything: String {
        flatMap { [$0.words.what.english] + $0.words.hints.map(\.english) }.joined(separator: "\n")
    }
}
