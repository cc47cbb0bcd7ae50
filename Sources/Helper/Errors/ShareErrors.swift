internal import CredentialCore
package import Messages

extension ShareFailure {
    /// What failed, and what to do.
    var words: UserFacingError {
        switch self {
        case .malformedName(let name):
            UserFacingError(
                .share, Message("\"%1$s\" cannot be the name of a shared place", name),
                [
                    Message("up to 32 letters, digits and . _ - are possible, but not \"list\", \"stop\" or \"ssh\":"),
                    .command("git credential-gitspace share box"),
                ])
        case .malformedHost(let host):
            UserFacingError(
                .share, Message("\"%1$s\" is not a host", host),
                [Message("for example:"), .command("git credential-gitspace share box --host github.com")])
        case .malformedSetting(let key, let value):
            UserFacingError(
                .share, Message("invalid setting in git's configuration: %1$s = %2$s; nothing is shared", key, value),
                [Message("see where it is set:"), .command("git config --show-origin --get-all \(word: key)")])
        case .noHosts:
            UserFacingError(
                .share, Message("you are not signed in anywhere, so there is nothing to share"),
                [Message("sign in with:"), .command("git credential-gitspace login")])
        case .unconfigured(let name):
            UserFacingError(
                .share,
                Message("git's configuration names no host for the shared place \"%1$s\"", DisplayText(own: name.text)),
                [
                    Message("add the host that it may use:"),
                    .command("git config --global --add gitspace-share.\(word: name.text).host github.com"),
                ])
        case .alreadyShared(let name):
            UserFacingError(
                .share, Message("\"%1$s\" is shared already", DisplayText(own: name.text)),
                [Message("stop it first:"), .command("git credential-gitspace share stop \(word: name.text)")])
        case .notShared(let name):
            UserFacingError(
                .share, Message("\"%1$s\" is not shared", DisplayText(own: name.text)),
                [Message("see what is:"), .command("git credential-gitspace share list")])
        case .notStopped(let name, nil):
            UserFacingError(
                .share,
                Message(
                    "\"%1$s\" is shared by a process that cannot be stopped from here", DisplayText(own: name.text)),
                [
                    Message("stop it where it was started, for example outside this container:"),
                    .command("git credential-gitspace share stop \(word: name.text)"),
                ])
        case .notStopped(let name, let process?):
            UserFacingError(
                .share, Message("\"%1$s\" could not be stopped", DisplayText(own: name.text)),
                [Message("end its process:"), .command("kill \(process)")])
        case .nowhere:
            UserFacingError(
                .share, Message("there is no folder for the socket, because neither XDG_RUNTIME_DIR nor HOME is set"))
        case .unsafe(let path):
            UserFacingError(
                .share, Message("%1$s must be a folder that belongs to you and that nobody else can open", path),
                [Message("see what it is:"), .command("ls -ld \(word: path)")])
        case .unquotable(let path):
            UserFacingError(
                .share, Message("the folder's name has a character that cannot stand in a command: %1$s", path),
                [
                    Message(
                        "set XDG_RUNTIME_DIR to a folder without any of these: %1$s",
                        "$ ` ' \" \\ : , %" as DisplayText)
                ])
        case .exchangeable(let path):
            UserFacingError(
                .share, Message("%1$s: another user could put something else there", path),
                [Message("see whose it is, and who may write to it:"), .command("ls -ld \(word: path)")])
        case .pathTooLong(let path):
            UserFacingError(
                .share, Message("the socket's path is too long (more than 107 bytes): %1$s", path),
                [Message("choose a shorter name")])
        case .notHandedOver:
            UserFacingError(
                .share, Message("systemd did not pass a socket for this place"),
                [
                    Message("start the socket, not the service:"),
                    .command("systemctl --user start gitspace-share@NAME.socket"),
                ])
        case .system(let path, let reason): UserFacingError(.share, Message(verbatim: "\(path): \(reason)"))
        case .noConnection(let destination):
            UserFacingError(
                .share, Message("ssh did not connect to %1$s", destination),
                [Message("check that this works:"), .command("ssh \(word: destination) true")])
        case .unusableRemoteDirectory(let answer, let destination):
            UserFacingError(
                .share, Message("%1$s named a folder that cannot be used: \"%2$s\"", destination, answer),
                [
                    Message(
                        "it must be a short absolute path of letters, digits and %1$s, and your shell there may print nothing before it",
                        ". _ / @ + -" as DisplayText)
                ])
        case .notForwarded(let destination):
            UserFacingError(
                .share, Message("the SSH server on %1$s does not forward sockets", destination),
                [Message("its administrator can allow it in sshd_config: AllowStreamLocalForwarding yes")])
        }
    }
}

extension UserFacingError {
    package static func share(_ failure: ShareFailure) -> UserFacingError { failure.words }
}
