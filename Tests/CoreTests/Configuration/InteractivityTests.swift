import CredentialCore
import Testing

@Suite("Permission to start a sign-in")
struct InteractivityTests {
    private func prohibition(
        environment: [String: String] = [:], interactive: String? = nil, url: String? = nil, isMaintenance: Bool = false
    ) -> Interactivity.Prohibition? {
        let entries = interactive.map {
            [ConfigurationEntry(section: "credential", subsection: url, key: "interactive", value: $0)]
        }
        let configuration = Configuration(entries ?? [], for: HostName(name: "github.com"))
        return Interactivity.prohibition(configuration, environment: { environment[$0] }, isMaintenance: isMaintenance)
    }

    @Test("allows a sign-in by default")
    func nothing() { #expect(prohibition() == nil) }

    @Test(
        "forbids a sign-in by each of these variables, and names it",
        arguments: [
            ("GIT_TERMINAL_PROMPT", "0", "GIT_TERMINAL_PROMPT=0"),
            ("GIT_TERMINAL_PROMPT", "false", "GIT_TERMINAL_PROMPT=0"),
            ("GIT_TERMINAL_PROMPT", "No", "GIT_TERMINAL_PROMPT=0"), ("GCM_INTERACTIVE", "0", "GCM_INTERACTIVE"),
            ("GCM_INTERACTIVE", "never", "GCM_INTERACTIVE"), ("GCM_INTERACTIVE", "FALSE", "GCM_INTERACTIVE"),
            ("CI", "true", "CI"), ("CI", "1", "CI"), ("CI", "woodpecker", "CI"),
            ("VSCODE_GIT_FETCH_SILENT", "1", "VSCODE_GIT_FETCH_SILENT"),
            ("VSCODE_GIT_FETCH_SILENT", "", "VSCODE_GIT_FETCH_SILENT"),
        ])
    func environment(variable: String, value: String, setting: String) {
        #expect(prohibition(environment: [variable: value])?.setting.text == setting)
    }

    @Test(
        "allows a sign-in by the other values",
        arguments: [
            ("GIT_TERMINAL_PROMPT", "1"), ("GIT_TERMINAL_PROMPT", "true"), ("GCM_INTERACTIVE", "1"),
            ("GCM_INTERACTIVE", "auto"), ("CI", ""), ("CI", "0"), ("CI", "false"), ("CI", "off"),
        ])
    func permission(variable: String, value: String) { #expect(prohibition(environment: [variable: value]) == nil) }

    @Test(
        "reads credential.interactive only without a URL, as git does",
        arguments: [
            ("false", true), ("never", true), ("0", true), ("00", true), ("", true), ("10", false), ("true", false),
            ("auto", false), ("always", false),
        ])
    func configured(value: String, isForbidden: Bool) {
        #expect((prohibition(interactive: value) != nil) == isForbidden)
        #expect(prohibition(interactive: value, url: "https://github.com") == nil)
    }

    @Test("reports git's own two settings as binding for git too")
    func bindsGit() {
        #expect(prohibition(environment: ["GIT_TERMINAL_PROMPT": "0"])?.bindsGit == true)
        #expect(prohibition(interactive: "never")?.bindsGit == true)
        #expect(prohibition(environment: ["GCM_INTERACTIVE": "0"])?.bindsGit == false)
        #expect(prohibition(environment: ["CI": "1"])?.bindsGit == false)
        #expect(prohibition(interactive: "false", isMaintenance: true)?.bindsGit == true)
        #expect(prohibition(isMaintenance: true)?.setting == "git maintenance")
        #expect(prohibition(environment: ["CI": "1", "GIT_TERMINAL_PROMPT": "0"])?.bindsGit == true)
    }
}
