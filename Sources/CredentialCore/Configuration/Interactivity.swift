/// Decides whether a person may be asked, since a code must not be requested if nobody can see it.
package enum Interactivity {
    package struct Prohibition: Equatable {
        /// The setting as the person wrote it: `CI`, `GIT_TERMINAL_PROMPT=0`, ….
        package let setting: DisplayText
        /// Whether the setting stops git from asking as well; git must not be told to quit then.
        package let bindsGit: Bool
    }

    package static func prohibition(
        _ configuration: Configuration, environment: (String) -> String?, isMaintenance: @autoclosure () -> Bool = false
    ) -> Prohibition? {
        if let prompt = environment("GIT_TERMINAL_PROMPT"), isFalse(prompt) {
            return Prohibition(setting: "GIT_TERMINAL_PROMPT=0", bindsGit: true)
        }
        if let interactive = configuration.plainValue("credential", "interactive"), isNever(interactive) {
            return Prohibition(setting: "credential.interactive=false", bindsGit: true)
        }
        // git before 2.47 sets no variable for its scheduled jobs.
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

    /// Whether git asks by a program: `GIT_ASKPASS`, else `core.askPass`, else `SSH_ASKPASS` (gitcredentials(7)).
    ///
    /// The first one that is set counts; an empty one means the terminal. A repository's `core.askPass` is ignored.
    package static func asksByProgram(_ configuration: Configuration?, environment: (String) -> String?) -> Bool {
        let program =
            environment("GIT_ASKPASS") ?? configuration?.plainValue("core", "askPass") ?? environment("SSH_ASKPASS")
        return program?.isEmpty == false
    }

    /// Whether a value is false: empty, a word for false, or zeros (git-config(1), "boolean").
    package static func isFalse(_ value: String) -> Bool {
        ["", "false", "no", "off"].contains(value.lowercased()) || value.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// Whether a value forbids asking: git's words for false, and Git Credential Manager's `never`.
    static func isNever(_ value: String) -> Bool { isFalse(value) || value.lowercased() == "never" }
}
