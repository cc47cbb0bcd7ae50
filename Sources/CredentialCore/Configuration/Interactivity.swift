/// Whether a sign-in may start at all.
///
/// Where nobody can see a code, none is asked for.
package enum Interactivity {
    /// Why no sign-in starts, in words that name the setting.
    package struct Prohibition: Equatable {
        /// What forbids it, as the person wrote it: `CI`, `GIT_TERMINAL_PROMPT=0`, ….
        package let setting: DisplayText
        /// Whether git, too, has been told not to ask; then it must not be told to quit.
        package let bindsGit: Bool
    }

    /// The first setting that forbids a sign-in.
    ///
    /// - Parameters:
    ///   - configuration: git's.
    ///   - environment: looks up a variable.
    /// - Returns: nil if none does.
    package static func prohibition(
        _ configuration: Configuration, environment: (String) -> String?
    ) -> Prohibition? {
        if let prompt = environment("GIT_TERMINAL_PROMPT"), isFalse(prompt) {
            return Prohibition(setting: "GIT_TERMINAL_PROMPT=0", bindsGit: true)
        }
        if let interactive = configuration.plainValue("credential", "interactive"), isNever(interactive) {
            return Prohibition(setting: "credential.interactive=false", bindsGit: true)
        }
        if let interactive = environment("GCM_INTERACTIVE"), isNever(interactive) {
            return Prohibition(setting: "GCM_INTERACTIVE", bindsGit: false)
        }
        if let ci = environment("CI"), !isFalse(ci) { return Prohibition(setting: "CI", bindsGit: false) }
        if environment("VSCODE_GIT_FETCH_SILENT") != nil {
            return Prohibition(setting: "VSCODE_GIT_FETCH_SILENT", bindsGit: false)
        }
        return nil
    }

    /// Whether git has a program ask for a name and password.
    ///
    /// That is `GIT_ASKPASS`, else `core.askPass`, else `SSH_ASKPASS` (gitcredentials(7)). The first that is set counts,
    /// and an empty one means the terminal.
    ///
    /// A repository's `core.askPass` is not among what is read. git would run that program as well; not to count on it can
    /// but end the command, with the reason.
    package static func asksByProgram(_ configuration: Configuration?, environment: (String) -> String?) -> Bool {
        let program =
            environment("GIT_ASKPASS") ?? configuration?.plainValue("core", "askPass") ?? environment("SSH_ASKPASS")
        return program?.isEmpty == false
    }

    /// git's own words for false, the empty one and every zero included (git-config(1), "boolean").
    package static func isFalse(_ value: String) -> Bool {
        ["", "false", "no", "off"].contains(value.lowercased()) || value.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// What forbids to ask: git's words for false, and Git Credential Manager's own.
    static func isNever(_ value: String) -> Bool { isFalse(value) || value.lowercased() == "never" }
}
