import CredentialProtocol
import Helper
import TestSupport
import Testing

/// Where nobody can see a code, none is requested: one line says why, and git may go on.
@Suite("get: nobody is here to sign in")
struct NobodyHereTests {
    private let story = Story()
    private var doubles: Doubles { story.doubles }

    /// What was complained of; no code was requested, no lock taken, and git may go on.
    private func complaints() throws -> [Complaint] {
        #expect(try story.get().isEmpty)
        #expect(doubles.transport.requests.isEmpty && doubles.locks.wanted.isEmpty && doubles.person.prompts.isEmpty)
        return doubles.complaints
    }

    @Test(
        "a setting of the environment forbids it, and is named",
        arguments: [
            ("GIT_TERMINAL_PROMPT", "0", "GIT_TERMINAL_PROMPT=0"), ("GCM_INTERACTIVE", "never", "GCM_INTERACTIVE"),
            ("CI", "true", "CI"), ("VSCODE_GIT_FETCH_SILENT", "1", "VSCODE_GIT_FETCH_SILENT"),
        ])
    func environment(variable: String, value: String, setting: String) throws {
        doubles.environment[variable] = value
        #expect(try complaints() == [.nobodyHere(host: "github.com", because: setting)])
    }

    @Test("so does git's configuration")
    func configuration() throws {
        doubles.configure("credential", nil, "interactive", "false")
        #expect(try complaints() == [.nobodyHere(host: "github.com", because: "credential.interactive=false")])
    }

    @Test("so does gitspaceDeviceFlow=never")
    func deviceFlow() throws {
        doubles.configure("credential", nil, "gitspaceDeviceFlow", "never")
        #expect(try complaints() == [.nobodyHere(host: "github.com", because: "gitspaceDeviceFlow=never")])
    }

    @Test("so does the want of anything to show a code on")
    func unreachable() throws {
        doubles.person.canBeReached = false
        #expect(try complaints() == [.nobodyHere(host: "github.com", because: nil)])
    }

    @Test("without a client ID the person learns how to get one")
    func noClientID() throws {
        doubles.builtInClientID = nil
        #expect(try complaints() == [.noClientID(host: "github.com")])
    }

    @Test("a stored token is answered all the same", arguments: ["GIT_TERMINAL_PROMPT", "CI", "GCM_INTERACTIVE"])
    func stored(variable: String) throws {
        doubles.environment[variable] = variable == "CI" ? "1" : "0"
        doubles.person.canBeReached = false
        story.brought("ghp_1")
        #expect(try story.get().contains("ghp_1"))
        #expect(doubles.complaints.isEmpty)
    }

    @Test("tokens of other programs in the environment are not looked at", arguments: ["GITHUB_TOKEN", "GH_TOKEN"])
    func foreignTokens(variable: String) throws {
        doubles.environment = [variable: "ghp_environment", "CODESPACES": "true"]
        doubles.person.canBeReached = false
        #expect(try story.get().isEmpty)
        #expect(try story.run(.get, "protocol=https\nhost=evil.example").isEmpty)
    }
}
