import CredentialCore
import TestSupport
import Testing
internal import Verbs

@Suite("The verb doctor: memory in place of a keyring")
struct DoctorMemoryTests {
    private let examination = Examination()
    private var machine: ScriptedInspections { examination.machine }

    @Test("finds no account if memory is empty and no keyring is provided")
    func memory() {
        machine.providerFault = .noProvider
        examination.answer()
        #expect(examination.diagnoses(.account).texts == ["no account is signed in to github.com"])
    }

    @Test("checks the account in memory if the keyring cannot be reached")
    func inMemory() throws {
        machine.busFault = .noBus
        examination.answer()
        #expect(
            examination.diagnoses(.account).texts == ["cannot tell who is signed in to github.com without the keyring"])
        machine.memory.put(StoredCredential(username: Array("mona".utf8), password: Secret("t")), for: "github.com")
        examination.answer(accounts: GitHubAnswers.user("mona"))
        #expect(examination.diagnoses(.account).texts == ["github.com accepts the token of mona"])
    }
}
