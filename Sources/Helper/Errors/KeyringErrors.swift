package import CredentialCore

extension KeyringError {
    package var words: UserFacingError { words(by: .other(nil)) }

    /// Returns the error with the words for the program, since each is unlocked and examined in its own way.
    ///
    /// `locked` are the names of locked collections beside an open one.
    package func words(by program: KeyringProgram, locked: [DisplayText] = []) -> UserFacingError {
        let words = plainWords(by: program, locked)
        return UserFacingError(.keyring, words.text, words.hints, keyring: self)
    }

    private func plainWords(by program: KeyringProgram, _ locked: [DisplayText]) -> UserFacingError {
        let names = locked.isEmpty ? nil : locked.joined(separator: "\", \"")
        return switch (self, program) {
        case (.locked, .keePassXC):
            failed(
                names.map {
                    Message(
                        "the database \"%1$s\" in KeePassXC is locked, or needs you to allow access, and nobody can be asked here",
                        $0)
                } ?? Message("KeePassXC is locked, or needs you to allow access, and nobody can be asked here"),
                Message("unlock the database in KeePassXC, then run the command again in a terminal"))
        case (.locked, .kwallet):
            failed(
                names.map { Message("the wallet \"%1$s\" in KWallet is locked, and nobody can be asked here", $0) }
                    ?? Message("the wallet in KWallet is locked, and nobody can be asked here"),
                Message("open the wallet on the desktop, then run the command again"))
        // `unlock` can create no collection of these programs.
        case (.noCollection, .kwallet), (.noCollection, .other(_?)):
            failed(
                program == .kwallet
                    ? Message("KWallet has no wallet yet, and nobody can be asked here to create one")
                    : Message("the keyring service has no keyring yet, and nobody can be asked here to create one"),
                Message("create one on the desktop, or, without a desktop, keep credentials in memory:"),
                KeyringProgram.inMemory)
        case (.dismissed, .keePassXC):
            failed(
                Message("KeePassXC was not unlocked, or access was not allowed"),
                Message("run the command again, and unlock the database or allow access in KeePassXC"))
        case (.dismissed, .kwallet):
            failed(
                Message("the wallet in KWallet was not opened"), Message("run the command again, and open the wallet"))
        case (.unresponsive(let seconds), _):
            failed(Message("the keyring did not answer within %1$s seconds", seconds)).with(program.hintsIfUnresponsive)
        case (.noBus, _):
            failed(
                Message("no keyring is running in this session"),
                Message(
                    "without a desktop, set up a session bus that stays, once; then sign in to this machine again and run \"%1$s\":",
                    Verbatim(Self.unlock)),
                .command("sudo apt install gnome-keyring dbus-user-session && sudo loginctl enable-linger \"$USER\""))
        case (.foreignBus(.address(let beginning)), _):
            failed(
                Message(
                    "the address of the session bus begins with %1$s, and only unix:path= and unix:abstract= are used",
                    DisplayText(untrusted: beginning.utf8))
            ).with(Self.unsetAddress)
        case (.foreignBus(.user(_, bySudo: true)), _):
            failed(
                Message("root cannot use your keyring, even with \"sudo -E\""), Message("run the command without sudo"))
        case (.foreignBus(.user(let user, bySudo: false)), _):
            failed(
                Message(
                    "the session bus belongs to another user (ID %1$s), so its keyring is not used",
                    DisplayText(trusted: String(user)))
            ).with(Self.unsetAddress)
        case (.noProvider, _):
            failed(
                Message("no program provides a keyring"),
                Message(
                    "KeePassXC provides one once you turn on its Secret Service integration; of Debian's packages, keepassxc-full has it, and keepassxc-minimal does not"
                ), Message("install one of gnome-keyring, KeePassXC or KWallet:"),
                .command("sudo apt install gnome-keyring"))
        case (.noCollection, _):
            failed(Message("the keyring service has no keyring yet"), Message("create one:"), .command(Self.unlock))
        case (.notReady, _):
            failed(
                Message("the keyring was created in this session and is not ready yet"),
                Message("sign out of this session and in again; until then, credentials are kept in memory"))
        case (.noSuchCollection(let name), _):
            failed(
                Message("the keyring %1$s, which %2$s names, does not exist", name, SettingKey.gitspaceCollection.name),
                Message("use the default one:"),
                .command("git config --global --unset \(SettingKey.gitspaceCollection.name)"))
        case (.locked, _):
            failed(
                names.map { Message("the keyring \"%1$s\" is locked and no password prompt can be shown here", $0) }
                    ?? Message("the keyring is locked and no password prompt can be shown here"),
                names == nil
                    ? Message("unlock it here, usually with your login password, then try again:")
                    : Message("unlock it here, then try again:"), .command(Self.unlock))
        case (.dismissed, _):
            failed(
                Message("the keyring was not unlocked"),
                Message("run the command again and enter the keyring's password"))
        case (.denied, _): failed(Message("the keyring denied access")).with(Self.log)
        case (.disconnected, _): failed(Message("the keyring closed the connection while answering")).with(Self.log)
        case (.noPlugin, _):
            failed(
                Message("the keyring cannot encrypt, because KWallet lacks the plugin libqca-ossl"),
                Message("install it; for KWallet 5, as in Debian 12, the package is libqca-qt5-2-plugins:"),
                .command("sudo apt install libqca-qt6-plugins"))
        case (.noSession, _), (.noSuchObject, _), (.notKept, _), (.other, _):
            failed(Message("the keyring reported an error")).with(Self.log)
        case (.unstorable, _): failed(Message("the keyring cannot store these bytes"))
        case (.unconfigured(let error), _): error.words
        case (.interrupted, _): failed(Message("interrupted while waiting for the keyring"))
        }
    }

    /// The hints for a container, where another machine's sign-in can replace a missing keyring.
    package var shareIntoContainer: [Message] {
        isMissing
            ? [
                Message("on the machine that has your keyring, run this, and paste the lines that it prints:"),
                .command(Self.share),
            ] : []
    }

    static let share: DisplayText = "git credential-gitspace share box"
    /// The command that unlocks the keyring without a desktop, or shows how to unlock it.
    private static let unlock: DisplayText = "git credential-gitspace unlock"
    private static let unsetAddress = [
        Message("if the variable is left over from another session, remove it:"),
        .command("unset DBUS_SESSION_BUS_ADDRESS"),
    ]
    private static let log = [Message("check the keyring's log:"), Message.command("journalctl --user -n 20")]
}

extension KeyringProgram {
    fileprivate var hintsIfUnresponsive: [Message] {
        switch self {
        case .gnomeKeyring:
            [Message("check whether it is hanging:"), .command("systemctl --user status gnome-keyring-daemon")]
        case .keePassXC: [Message("check whether KeePassXC shows a dialog; if it hangs, restart it")]
        case .kwallet:
            [Message("check whether KWallet shows a dialog; if it hangs, log out of the desktop and in again")]
        case .other(let name?): [Message("check whether the program %1$s is hanging; it provides the keyring", name)]
        case .other(nil): [Message("see which program provides it:"), .command("git credential-gitspace doctor")]
        }
    }

    package static let inMemory = Message.command("git config --global \(SettingKey.gitspaceStore.name) cache")
}

extension UserFacingError {
    package static func keyring(_ error: KeyringError) -> UserFacingError { error.words }

    /// `isLost` if no git command uses the credential, which exists nowhere else.
    package static func notSaved(_ why: UserFacingError, isLost: Bool = false) -> UserFacingError {
        why.within(.notSaved) {
            isLost
                ? Message("the token could not be saved and is lost: %1$s", $0)
                : Message("the token could not be saved and is used for this command only: %1$s", $0)
        }
    }

    package static func passwordNotSaved(_ error: KeyringError) -> UserFacingError {
        error.words.within(.notSaved) {
            Message("the password could not be saved and is used for this command only: %1$s", $0)
        }
    }

    package static func notErased(_ error: KeyringError) -> UserFacingError {
        error.words.within(.notErased) { Message("nothing was removed: %1$s", $0) }
    }

    package static func notAllErased(
        accounts: [DisplayText], host: DisplayText, _ why: UserFacingError
    ) -> UserFacingError {
        why.within(.notAllErased) {
            accounts.isEmpty
                ? Message("another account for %1$s could not be removed: %2$s", host, $0)
                : Message("%1$s could not be removed for %2$s: %3$s", accounts.joined(separator: ", "), host, $0)
        }
    }

    package static func revokedNotErased(account: DisplayText, _ error: KeyringError) -> UserFacingError {
        error.words.within(.revokedNotErased) {
            Message("the token of %1$s is revoked but still in the keyring: %2$s", account, $0)
        }
    }

    /// Returns the error with the words for the program.
    ///
    /// The code that throws an error does not know the program or the locked collections.
    package func by(
        _ program: () -> KeyringProgram, locked: () -> [DisplayText] = { [] }, inContainer: () -> Bool = { false }
    ) -> UserFacingError {
        guard let keyring else { return self }
        switch keyring {
        case .noBus, .noProvider: return inContainer() ? with(keyring.shareIntoContainer) : self
        case .locked, .dismissed, .unresponsive, .noCollection: break
        default: return self
        }
        let words = keyring.words(by: program(), locked: keyring == .locked ? locked() : [])
        return UserFacingError(
            code, text.replacing(keyring.words.text, with: words.text), words.hints, keyring: keyring)
    }
}

private func failed(_ text: Message, _ hints: Message...) -> UserFacingError { UserFacingError(.keyring, text, hints) }
