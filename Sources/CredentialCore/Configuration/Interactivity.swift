/// No code is requested where nobody can see it.
package enum Interactivity {
    package struct Prohibition: Equatable {
        /// As the person wrote it: `CI`, `GIT_TERMINAL_PROMPT=0`, ….
        package let setting: DisplayText
        /// Whether the setting stops git from asking as well; git must not be told to quit then.
        package let bindsGit: Bool
    }

    /// Of several, the first.
    package static func prohibition(
        _ configuration: Configuration, environment: (String) -> String?,
        isMaintenance: @autoclosure () -> Bool = false
    ) -> Prohibition? {
        if let prompt = environment("GIT_TERMINAL_PROMPT"), isFalse(prompt) {
            return Prohibition(setting: "GIT_TERMINAL_PROMPT=0", bindsGit: true)
        }
        if let interactive = configuration.plainValue("credential", "interactive"), isNever(interactive) {
            return Prohibition(setting: "credential.interactive=false", bindsGit: true)
        }
        // git before 2.47 sets nothing for its scheduled jobs.
        if isMaintenance() { return Prohibition(setting: "git maintenance", bindsGit: false) }
        if let interactive = environment("GCM_INTERACTIVE"), isNever(interactive) {
            return Prohibition(setting: "GCM_INTERACTIVE", bindsGit: false)
        }
        if let ci = environment("CI"), !isFalse(ci) { return Prohibition(setting: "CI", bindsGit: false) }
        if environment("VSCODE_GIT_FETCH_SILENT") != nil {
            return Prohibition(setting: "VSCODE_GIT_FETCH_SILENT", bindsGit: false)
        }
        return nil
    }

    /// `GIT_ASKPASS`, else `core.askPass`, else `SSH_ASKPASS` (gitcredentials(7)).
    ///
    /// The first that is set counts, and an empty one means the terminal. A repository's `core.askPass` is not read,
    /// although git would run that program as well: not counting on it can only end the command with the reason.
    package static func asksByProgram(_ configuration: Configuration?, environment: (String) -> String?) -> Bool {
        let program =
            environment("GIT_ASKPASS") ?? configuration?.plainValue("core", "askPass") ?? environment("SSH_ASKPASS")
        return program?.isEmpty == false
    }

    /// Includes the empty value and every zero (git-config(1), "boolean").
    package static func isFalse(_ value: String) -> Bool {
        ["", "false", "no", "off"].contains(value.lowercased()) || value.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// What forbids to ask: git's words for false, and Git Credential Manager's own.
    static func isNever(_ value: String) -> Bool { isFalse(value) || value.lowercased() == "never" }
}
