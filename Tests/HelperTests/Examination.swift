import Foundation
import TestSupport
import Testing

/// The doctor on test doubles: a host that answers, and a machine without faults.
struct Examination: HelperSuite {
    let helper = HelperFixture()
    var machine: ScriptedInspections { verb.machine }

    /// Queues the answers of github.com: its page, its API, the check of the client ID, and the check of each account.
    func answer(date: String? = "Tue, 14 Nov 2023 22:13:20 GMT", accounts: HTTPResponse...) {
        let headers = date.map { [("date", $0)] } ?? []
        for _ in 0..<2 { respond(.json("{}", status: 404, headers: headers)) }
        let others = doubles.transport.aside
        doubles.transport.aside = { $0.address.hasSuffix("/login/device/code") ? GitHubAnswers.device : others($0) }
        accounts.forEach(doubles.transport.answer)
    }

    /// Returns the findings about one check of another examination, after its answers were queued and then a change.
    static func diagnoses(_ check: Diagnosis.Check, after change: (Examination) -> Void) -> [Diagnosis] {
        let examination = Examination()
        examination.answer()
        change(examination)
        return examination.diagnoses(check)
    }

    func diagnoses() -> [Diagnosis] { examine().found }

    /// Returns the findings about one check, or all of them, after the answers of github.com were queued.
    func found(
        _ check: Diagnosis.Check? = nil, date: String? = "Tue, 14 Nov 2023 22:13:20 GMT", accounts: HTTPResponse...
    ) -> [Diagnosis] {
        answer(date: date)
        accounts.forEach(doubles.transport.answer)
        return diagnoses().filter { check == nil || $0.check == check }
    }

    func examine() -> (status: Verbs.ExitStatus?, found: [Diagnosis]) {
        let before = verb.printed.utf8.count
        do {
            let status = try verb.run("doctor", "--json").status
            let printed = Data(verb.printed.utf8.dropFirst(before))
            // After Ctrl-C nothing is printed if nothing was found.
            return (status, printed.isEmpty ? [] : try JSONDecoder().decode([Diagnosis].self, from: printed))
        } catch {
            Issue.record(error)
            return (nil, [])
        }
    }

    func diagnoses(_ check: Diagnosis.Check) -> [Diagnosis] { diagnoses().filter { $0.check == check } }
}

/// One finding, as the doctor prints it for programs.
struct Diagnosis: Decodable, Equatable {
    enum Check: String, Decodable {
        case user, interaction, locks, git, configuration, program, helpers, bus, provider, collection, landlock, share
        case roundTrip = "round_trip"
        case clientID = "client_id"
        case app, network, proxy, certificate, clock, issuer, account
    }

    enum Result: String, Decodable { case ok, fail, warn, skip }

    let check: Check
    let result: Result
    var username: String?
    var state: String?
    let text: String
    let hints: [String]
}

extension [Diagnosis] {
    var results: [Diagnosis.Result] { map(\.result) }
    var texts: [String] { map(\.text) }
    var everything: String { flatMap { [$0.text] + $0.hints }.joined(separator: "\n") }
}
