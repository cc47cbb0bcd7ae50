internal import CredentialCore
package import Messages

extension ConfigurationFileError {
    /// What failed, for people.
    package var sentence: Message {
        switch self {
        case .unreadable: Message("git cannot read its configuration")
        case .noHome: Message("there is no home folder: HOME is not set")
        case .locked: Message("another program is writing git's configuration")
        case .notPermitted(let path): Message("no permission to write %1$s", path)
        case .failed(let path, let reason): Message("cannot write %1$s: %2$s", path, reason)
        case .notTakenUp(let path): Message("git does not follow what was written to %1$s", path)
        case .noCommand: Message("git has no name to call this program by")
        }
    }

    /// What to do about it.
    ///
    /// - Parameter verb: the words behind `git credential-gitspace` that failed.
    /// - Returns: the lines.
    package func hints(_ verb: String) -> [Message] {
        switch self {
        case .unreadable: [Message("see what it says:"), .command("git config --list --show-origin")]
        case .noHome: [Message("name the file yourself:"), .command("export GIT_CONFIG_GLOBAL=/path/to/file")]
        case .locked(let lock):
            [Message("if no git is running, remove what one has left:"), .command("rm \(ShellWord.quoted(lock))")]
        case .notPermitted where verb.contains("--system"):
            [Message("root can do it:"), .command("sudo git credential-gitspace \(verb)")]
        case .notPermitted, .failed:
            [
                Message("nothing was changed; see the lines, to put them where your system keeps them:"),
                .command("git credential-gitspace \(verb) --dry-run"),
            ]
        case .notTakenUp:
            [
                Message("see which files git reads:"),
                .command("git config --show-origin --get-regexp '^credential\\.'"),
            ]
        case .noCommand:
            [
                Message("add the folder of git-credential-gitspace to PATH, or call it by its path:"),
                .command("/path/to/git-credential-gitspace \(verb)"),
            ]
        }
    }
}
