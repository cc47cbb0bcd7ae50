package import CredentialCore

extension ConfigurationFileError {
    /// Why git's configuration could not be read or changed.
    ///
    /// - Parameter verb: the words after `git credential-gitspace` that failed.
    /// - Returns: what failed, and what to do.
    package func words(_ verb: DisplayText) -> ErrorText {
        switch self {
        case .unread(let error): error.words
        case .unreadable:
            ErrorText(
                Message("git cannot read its configuration"),
                [Message("see git's error message:"), .command("git config --list --show-origin")])
        case .noHome:
            ErrorText(
                Message("cannot find your git configuration: HOME is not set"),
                [Message("set HOME, or name the file:"), .command("export GIT_CONFIG_GLOBAL=/path/to/file")])
        case .locked(let lock):
            ErrorText(
                Message("another program is writing git's configuration"),
                [Message("if no git command is running, delete the stale lock file:"), .command("rm \(word: lock)")])
        case .notPermitted(let path):
            ErrorText(
                Message("no permission to write %1$s", DisplayText(own: path)),
                verb.text.contains("--system")
                    ? [Message("run it as root:"), .command("sudo git credential-gitspace \(verb)")]
                    : Self.byHand(verb))
        case .failed(let path, let reason):
            ErrorText(
                Message("cannot write %1$s: %2$s", DisplayText(own: path), DisplayText(own: reason)),
                Self.byHand(verb))
        case .notTakenUp(let path):
            ErrorText(
                Message("git does not use the settings written to %1$s", DisplayText(own: path)),
                Self.keptLines(verb) + [
                    Message("see which files git reads:"),
                    .command(#"git config --show-origin --get-regexp '^credential\.'"#),
                ])
        case .noCommand:
            ErrorText(
                Message("git would not find this program"),
                [
                    Message("add the folder of git-credential-gitspace to the PATH, or run it by its full path:"),
                    .command("/path/to/git-credential-gitspace \(verb)"),
                ])
        }
    }

    /// What `configure` has written stays, for a git that does read it.
    private static func keptLines(_ verb: DisplayText) -> [Message] {
        guard verb.text.hasPrefix("configure") else { return [] }
        let undo: DisplayText =
            verb.text.contains("--system")
            ? "git credential-gitspace unconfigure --system" : "git credential-gitspace unconfigure"
        return [Message("the lines were kept; to remove them, run %1$s", undo)]
    }

    private static func byHand(_ verb: DisplayText) -> [Message] {
        [
            Message("nothing was changed; to see the lines and add them yourself:"),
            .command("git credential-gitspace \(verb) --dry-run"),
        ]
    }
}
