internal import Commands
internal import CredentialCore
internal import OAuth

extension Diagnosis.Keyring {
    var words: ErrorText {
        switch self {
        case .unused: ErrorText(Message("the keyring is not used: gitspaceStore is cache"))
        case .busAnswers: ErrorText(Message("the session bus answers"))
        case .offered(let name?): ErrorText(Message("a keyring is offered by %1$s", name))
        case .offered(nil): ErrorText(Message("a keyring is offered"))
        case .unlocked: ErrorText(Message("the keyring is unlocked"))
        case .locked: ErrorText(Message("the keyring is locked; it asks for its password when it is needed"))
        case .notWritten(isLocked: true):
            ErrorText(Message("nothing was written to the keyring, since it is locked"))
        case .notWritten(isLocked: false): ErrorText(Message("nothing was written to the keyring"))
        case .providerNotAsked: ErrorText(Message("who offers a keyring was not asked"))
        case .collectionNotAsked: ErrorText(Message("whether the keyring is unlocked was not asked"))
        case .failed(let error): error.words
        case .roundTrip: ErrorText(Message("an item was written to the keyring, read back and removed"))
        case .itemStays(let label):
            ErrorText(
                Message("the keyring keeps an item that was removed: %1$s", label),
                [Message("remove it with your desktop's password program:"), .command("seahorse")])
        case .notKept(let error, let isGone):
            ErrorText(
                Message("the keyring did not keep what it was given: %1$s", error.words.what),
                (isGone ? [] : [Message("if it kept a part of it, the next run of doctor takes that out")])
                    + error.words.hints)
        }
    }
}

extension Diagnosis.Host {
    func words(_ name: DisplayText) -> ErrorText {
        switch self {
        case .clientKnown: ErrorText(Message("an OAuth client ID is known for %1$s", name))
        case .noClient:
            ErrorText(
                Message("no OAuth client ID is known for %1$s, so nobody can sign in", name),
                [Message("make one:"), .command("git credential-gitspace register \(name)")])
        case .reachable: ErrorText(Message("%1$s answers, and its certificate is trusted", name))
        case .tookTooLong: ErrorText(Message("%1$s was not asked: it has taken too long", name))
        case .transport(let error): error.words(host: name)
        case .trouble(let status):
            ErrorText(
                Message("%1$s is in trouble (status %2$s)", name, status), [Message("try again in a few minutes")])
        case .clockNotCompared: ErrorText(Message("the clock was not compared with that of %1$s", name))
        case .clockUnknown: ErrorText(Message("%1$s does not say what time it is", name))
        case .clockAgrees: ErrorText(Message("this machine's clock agrees with that of %1$s", name))
        case .clockAhead(let seconds): ErrorText(Self.clock(seconds, name), Self.clockHints)
        case .accountsNotAsked: ErrorText(Message("%1$s was not asked about accounts", name))
        case .onlyKeyringKnows: ErrorText(Message("who is signed in to %1$s only the keyring knows", name))
        case .nobodySignedIn:
            ErrorText(
                Message("nobody is signed in to %1$s", name),
                [Message("sign in at the next push, or now:"), .login(name)])
        case .keyringAsksForEach:
            ErrorText(Message("the keyring asks a person before it shows a token of %1$s", name))
        case .keyring(let error): error.words
        case .ended(let who):
            ErrorText(Message("the sign-in of %1$s to %2$s has ended", who, name), Self.signInAgain(name))
        case .endedRenewable(let who):
            ErrorText(Message("the token of %1$s for %2$s has ended, and is renewed when needed", who, name))
        case .accepted(let who): ErrorText(Message("%1$s accepts the token of %2$s", name, who))
        case .rejected(let who):
            ErrorText(Message("%1$s no longer accepts the token of %2$s", name, who), Self.signInAgain(name))
        case .notTold(let who):
            ErrorText(Message("%1$s does not say whether it accepts the token of %2$s", name, who))
        }
    }

    private static func clock(_ ahead: Int64, _ name: DisplayText) -> Message {
        ahead > 0
            ? Message("this machine's clock is %1$s seconds ahead of that of %2$s", ahead, name)
            : Message("this machine's clock is %1$s seconds behind that of %2$s", -ahead, name)
    }

    private static let clockHints = [
        Message("set it by the network's:"), Message.command("sudo timedatectl set-ntp true"),
    ]

    private static func signInAgain(_ host: DisplayText) -> [Message] {
        [Message("sign in anew:"), .login(host, "--force")]
    }
}
