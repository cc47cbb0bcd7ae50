import TestSupport
import Testing

@Suite("The verb doctor: the token with the first request")
struct DoctorProactiveTests {
    private let examination = Examination()
    private static let on = "http.https://github.com.proactiveauth\nbasic"
    private func found() -> [Diagnosis] { examination.found(.git, accounts: GitHubAnswers.user("octocat")) }

    @Test("mentions the setting once for a host with a sign-in, on or off, and not to an older git")
    func mentioned() {
        #expect(Examination().found(.git).count == 1)
        examination.helper.stored(expiresIn: 3_600)
        let off = found()
        #expect(off.results == [.ok, .ok])
        #expect(
            off.last?.text
                == "every fetch from github.com takes an extra request, because git first tries without your token")
        #expect(off.everything.hasSuffix("\n  git credential-gitspace configure --proactive"))
        examination.machine.gitConfiguration?.append(("global", "file:/g", Self.on))
        #expect(found().last?.text == "git sends your token with its first request to github.com")
        examination.machine.gitConfiguration?.removeLast()
        examination.machine.gitVersion = { "git version 2.45.2\n" }
        #expect(found().count == 1)
    }

    @Test("warns of the setting without a sign-in, unless only a repository sets it")
    func forNobody() {
        examination.machine.gitConfiguration?.append(("local", "file:.git/config", Self.on))
        #expect(found().count == 1)
        examination.machine.gitConfiguration?.append(("global", "file:/g", Self.on))
        let found = found()
        #expect(found.results == [.ok, .warn])
        #expect(
            found.last?.text
                == "git is set up to send a token with every request to github.com, but you are not signed in")
    }

    @Test("does not suggest the setting if the app's key cannot be read")
    func brokenKey() {
        examination.doubles.configure("credential", "https://github.com", "githubAppId", "12")
        examination.doubles.configure("credential", "https://github.com", "githubAppKey", "/key.pem")
        examination.doubles.keyFault = .unreadable
        let found = examination.found()
        #expect(found.contains { $0.check == .app && $0.result == .fail })
        #expect(!found.contains { $0.text.contains("extra request") }, "\(found.texts)")
    }
}
