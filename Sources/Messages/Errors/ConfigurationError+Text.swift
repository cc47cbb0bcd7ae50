package import CredentialCore

extension ConfigurationError {
    /// Why git's configuration cannot be read, and what shows it.
    package var words: ErrorText {
        switch self {
        case .noGit:
            ErrorText(
                Message("cannot read git's configuration: git is not on the PATH"),
                [Message("install it, or put it on the PATH:"), .command("sudo apt install git")])
        case .failed: ErrorText(Message("git cannot read its configuration"), Self.list)
        case .timedOut(let seconds):
            ErrorText(
                Message("cannot read git's configuration: git took longer than %1$s seconds", seconds), Self.list)
        case .tooLarge(let mebibytes):
            ErrorText(
                Message("cannot read git's configuration: it is larger than %1$s MiB", mebibytes),
                [
                    Message("see which file has the most lines:"),
                    .command("git config --list --show-origin | cut -f1 | sort | uniq -c | sort -n | tail -n 3"),
                ])
        case .notPermitted(let path):
            ErrorText(
                Message("cannot read git's configuration: no permission to read %1$s", DisplayText(path.utf8)),
                [Message("check its permissions:"), .command("ls -l \(word: DisplayText(path.utf8))")])
        case .notText(let key):
            ErrorText(
                Message("cannot read git's configuration: %1$s is not valid UTF-8", DisplayText(key.utf8)),
                [
                    Message("see which file it is in:"),
                    .command("git config --list --show-origin"),
                ])
        }
    }

    private static let list = [Message("see git's error message:"), Message.command("git config --list --show-origin")]
}
