internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Providers

extension Diagnosis.Keyring {
    var words: ErrorText {
        switch self {
        case .unused: ErrorText(Message("the keyring is not used: credential.gitspaceStore is cache"))
        case .busAnswers: ErrorText(Message("the D-Bus session bus is running"))
        case .offered(let name?): ErrorText(Message("the keyring is provided by %1$s", name))
        case .offered(nil): ErrorText(Message("a keyring is available"))
        case .unlocked: ErrorText(Message("the keyring is unlocked"))
        case .locked: ErrorText(Message("the keyring is locked; it will ask for its password when needed"))
        case .notWritten(isLocked: true):
            ErrorText(Message("did not test writing to the keyring, because it is locked"))
        case .notWritten(isLocked: false): ErrorText(Message("did not test writing to the keyring"))
        case .providerNotAsked: ErrorText(Message("did not check which program provides the keyring"))
        case .collectionNotAsked: ErrorText(Message("did not check whether the keyring is unlocked"))
        case .failed(let error, let program): ErrorText(error.words(by: program))
        case .roundTrip: ErrorText(Message("wrote a test item to the keyring, read it back and deleted it"))
        case .itemStays(let label):
            ErrorText(
                Message("the keyring still contains an item that was deleted: %1$s", label),
                [Message("delete it in your desktop's password manager:"), .command("seahorse")])
        case .notKept(let error, let isGone):
            ErrorText(
                Message("the keyring did not store the test item: %1$s", error.words.text),
                (isGone ? [] : [Message("if anything was left behind, the next doctor run deletes it")])
                    + error.words.hints)
        case .notShared(.container):
            ErrorText(
                Message("no other machine shares its sign-in with this container"),
                [
                    Message("on the machine that has your keyring, run this, and paste the lines that it prints:"),
                    .command("git credential-gitspace share box"),
                ])
        case .notShared(.ssh):
            ErrorText(
                Message("no other machine shares its sign-in with this one"),
                [
                    Message("on the machine that you came from, with the name of this one as ssh knows it, run:"),
                    .command("git credential-gitspace share ssh HOST"),
                ])
        }
    }
}

extension Diagnosis.Host {
    func words(_ name: DisplayText) -> ErrorText {
        switch self {
        case .appKnown(let id): ErrorText(Message("%1$s knows the app %2$s by its private key", name, id))
        case .appInstalled(let owners):
            ErrorText(Message("the app is installed for %1$s", owners.joined(separator: ", ")))
        case .appMayNotRead(let owner):
            ErrorText(
                Message("the app may not read the repositories of %1$s", owner),
                [Message("give it the permission Contents on the app's settings page")])
        case .appMayNotPush(let owner):
            ErrorText(
                Message("the app may read, but not push to the repositories of %1$s", owner),
                [Message("to push, give it the permission Contents: write on the app's settings page")])
        case .appFailed(let failure): ErrorText(failure.words(host: name))
        case .clientKnown: ErrorText(Message("there is an OAuth client ID for %1$s", name))
        case .noClient:
            ErrorText(
                Message("there is no OAuth client ID for %1$s, so you cannot sign in with the browser", name),
                [Message("register one:"), .command("git credential-gitspace setup \(name)")])
        case .noClientNeeded:
            ErrorText(Message("no OAuth client ID is needed for %1$s: you sign in there with a token", name))
        case .reachable: ErrorText(Message("%1$s is reachable, and its certificate is trusted", name))
        case .tookTooLong: ErrorText(Message("did not check %1$s: it took too long", name))
        case .transport(let error): ErrorText(error.words(host: name))
        case .trouble(let status):
            ErrorText(
                Message("%1$s returned a server error (status %2$s)", name, status),
                [Message("try again in a few minutes")])
        case .clockNotCompared: ErrorText(Message("did not compare the clock with %1$s", name))
        case .clockUnknown: ErrorText(Message("%1$s did not send its time", name))
        case .clockAgrees: ErrorText(Message("this machine's clock matches %1$s", name))
        case .clockAhead(let seconds): ErrorText(Self.clock(seconds, name), Self.clockHints)
        case .issuer(let issuer): ErrorText(Message("%1$s issues the tokens for %2$s", issuer, name))
        case .noServer(let error): ErrorText(error)
        case .accountsNotAsked: ErrorText(Message("did not check the accounts on %1$s", name))
        case .onlyKeyringKnows: ErrorText(Message("cannot tell who is signed in to %1$s without the keyring", name))
        case .nobodySignedIn:
            ErrorText(
                Message("no account is signed in to %1$s", name),
                [Message("sign in with:"), .command("git credential-gitspace setup \(word: name)")])
        case .keyringAsksForEach:
            ErrorText(Message("the keyring asks for confirmation before it releases a token for %1$s", name))
        case .keyring(let error): ErrorText(error.words)
        case .ended(let who, let again):
            ErrorText(Message("the token of %1$s for %2$s has expired", who, name), Self.hint(again, name))
        case .endedRenewable(let who):
            ErrorText(Message("the token of %1$s for %2$s has expired and is refreshed when needed", who, name))
        case .accepted(let who): ErrorText(Message("%1$s accepts the token of %2$s", name, who))
        case .rejected(let who, let again):
            ErrorText(Message("%1$s rejected the token of %2$s", name, who), Self.hint(again, name))
        case .otherAccount(let who, let owner):
            ErrorText(.storedOfAnother(account: who, owner: owner, host: name))
        case .notTold(let who):
            ErrorText(Message("could not check the token of %2$s with %1$s", name, who))
        }
    }

    private static func clock(_ ahead: Int64, _ name: DisplayText) -> Message {
        ahead > 0
            ? Message("this machine's clock is %1$s seconds ahead of %2$s", ahead, name)
            : Message("this machine's clock is %1$s seconds behind %2$s", -ahead, name)
    }

    private static let clockHints = [
        Message("synchronize it over the network:"), Message.command("sudo timedatectl set-ntp true"),
    ]

    /// Without a name, `login` would look at the default account, whose token may be another.
    private static func hint(_ again: SignInAgain, _ host: DisplayText) -> [Message] {
        [Message("sign in again:"), .login(host, again, isForced: again.account == nil)]
    }
}
