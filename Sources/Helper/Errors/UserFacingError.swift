package import CredentialCore
package import Messages
package import OAuth

/// A failure that a person has to know of: what failed, then what to do.
///
/// Rules for the texts of this folder: lower case, no full stop; a command to paste comes last, on a line of its own,
/// indented. No secret is in them, and nothing that a server or a request wrote is in them as it came.
package enum UserFacingError: Error, Equatable {
    case requestRefused(RequestError)
    case downgrade
    case keyring(KeyringError)
    case notSaved(KeyringError)
    case notErased(KeyringError)
    case nobodyHere(host: String, because: String?)
    case noClientID(host: String)
    case offline(host: String, TransportError)
    case serverInTrouble(host: String, status: Int)
    case refreshRefused(provider: String, host: String)
    case otherNotFinished(host: String)
    case signIn(DeviceFlowError, host: String, clientID: String)
    case lockImpossible
    case notForSignIn(host: String)
    case notSignedIn(host: String)
    case notRenewable(host: String)
    case severalAccounts(host: String, [String])
    case notRevoked(host: String, TransportError, page: String?)
    case revocationRefused(host: String, status: Int, page: String?)
    case revocationUnsupported(host: String, page: String?)
    case noSuchVerb
    case notARepository
    case configuration(ConfigurationFileError, verb: String)
    case nobodyToAsk(host: String, because: String?)
    case malformedClientID
    case registration(DeviceFlowError, host: String, clientID: String)
    case clientIDNotKept(ConfigurationFileError, key: String, clientID: String)

    /// The complaint about a request that leads nowhere.
    package init(_ refusal: CredentialContext.Refusal) {
        switch refusal {
        case .malformedHost: self = .requestRefused(.malformedHost)
        case .downgrade: self = .downgrade
        }
    }

    /// What failed.
    package var text: Message {
        switch self {
        case .requestRefused(let error): Message("refused a request: %1$s", error.sentence)
        case .downgrade: Message("refused a request: this host is known over https on its own port only")
        case .keyring(let error): error.sentence
        case .configuration(let error, _): error.sentence
        case .nobodyToAsk, .malformedClientID, .registration, .clientIDNotKept: registrationText
        case .notSaved(let error): Message("the token was not saved and serves this command only: %1$s", error.sentence)
        case .notErased(let error): Message("nothing was removed: %1$s", error.sentence)
        case .nobodyHere(let host, nil): Message("not signed in to %1$s, and nobody is here to sign in", host)
        case .nobodyHere(let host, let setting?):
            Message("not signed in to %1$s, and %2$s forbids asking", host, setting)
        case .noClientID(let host): Message("cannot sign in to %1$s: no OAuth client ID is configured", host)
        case .offline(let host, let error): Message("%1$s; the stored token was kept", error.sentence(host: host))
        case .serverInTrouble(let host, let status):
            Message(
                "%1$s cannot renew the token just now (status %2$s); the stored token was kept", host, String(status))
        case .refreshRefused(let provider, _): Message("%1$s no longer accepts the stored sign-in", provider)
        case .otherNotFinished: Message("another sign-in or refresh has not finished")
        case .signIn(let error, let host, let clientID): error.sentence(host: host, clientID: clientID)
        case .notSignedIn(let host): Message("nothing is stored for %1$s", host)
        case .notRenewable(let host):
            Message("the token for %1$s cannot be renewed: it came without a refresh token", host)
        case .severalAccounts(let host, let names):
            Message("several accounts are stored for %1$s: %2$s", host, names.joined(separator: ", "))
        case .notRevoked(let host, let error, _): Message("the token was not revoked: %1$s", error.sentence(host: host))
        case .revocationRefused(let host, let status, _):
            Message("the token was not revoked: %1$s refused (status %2$s)", host, String(status))
        case .revocationUnsupported(let host, _):
            Message("the token was not revoked: %1$s offers no way to do that from here", host)
        case .notForSignIn(let host): Message("%1$s is not known as a host to sign in to", host)
        case .noSuchVerb: Message("there is no command of that name")
        case .notARepository: Message("this is not the address of a repository")
        case .lockImpossible: Message("no safe place for a lock file: the runtime directory belongs to somebody else")
        }
    }

    /// What to do, a line each.
    package var hints: [Message] {
        switch self {
        case .requestRefused, .downgrade, .lockImpossible: []
        case .keyring(let error), .notSaved(let error), .notErased(let error): error.hints
        case .configuration(let error, let verb): error.hints(verb)
        case .nobodyToAsk, .malformedClientID, .registration, .clientIDNotKept: registrationHints
        case .nobodyHere(let host, let setting?):
            [
                Message("sign in once in a terminal, without %1$s:", setting),
                Self.command("login", host),
            ]
        case .nobodyHere(let host, nil), .refreshRefused(_, let host), .otherNotFinished(let host):
            [Message("sign in once in a terminal:"), Self.command("login", host)]
        case .noClientID(let host):
            [
                Message("a personal access token typed at git's prompt is kept in the keyring as well"),
                Message("or make a client ID of your own:"), Self.command("register", host),
            ]
        case .notSignedIn(let host): [Message("sign in with:"), Self.command("login", host)]
        case .notRenewable(let host):
            [Message("sign in anew:"), Self.command("login", host, "--force")]
        case .severalAccounts(let host, _):
            [
                Message("name one of them, or all:"),
                Self.command("logout", host, "--username NAME"),
                Self.command("logout", host, "--all"),
            ]
        case .notRevoked(_, _, let page), .revocationRefused(_, _, let page), .revocationUnsupported(_, let page):
            page.map { [Message("it may still be good; withdraw the app's access on:"), .command("\($0)")] } ?? []
        case .notForSignIn(let host):
            [
                Message("if it is a GitHub Enterprise Server, say so:"),
                .command("git config --global \(ShellWord.quoted("credential.https://\(host).provider")) github"),
            ]
        case .noSuchVerb: [Message("see what there is:"), .command("git-credential-gitspace --help")]
        case .notARepository:
            [
                Message("name it as in:"),
                .command("git credential-gitspace check https://github.com/OWNER/NAME"),
            ]
        case .offline(_, let error): error.hints
        case .serverInTrouble: [Message("try again in a few minutes")]
        case .signIn(let error, let host, _): error.hints(host: host)
        }
    }

    private static func command(_ verb: String, _ host: String, _ options: String...) -> Message {
        .command((["git credential-gitspace", verb, ShellWord.quoted(host)] + options).joined(separator: " "))
    }
}
