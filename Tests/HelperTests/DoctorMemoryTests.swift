import CredentialCore
import TestSupport
import Testing
internal import Verbs

@Suite("The verb doctor: memory in place of a keyring")
struct DoctorMemoryTests {
    private let examination = Examination()
    private var machine: ScriptedInspections { examination.machine }

    @Test("who is signed in in memory is shown where there is no keyring")
    func memory() {
        machine.providerFault = .noProvider
        examination.answer()
        #expect(examination.diagnoses(.account).texts == ["no account is signed in to github.com"])
    }

    @Test("so is who is in memory where nobody can tell who else is signed in")
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
