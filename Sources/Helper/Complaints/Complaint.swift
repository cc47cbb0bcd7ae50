package import CredentialProtocol
package import Keyring
package import OAuth

/// A failure that a person has to know of: what failed, then what to do.
///
/// Rules for the texts of this folder: lower case, no full stop; a command to paste comes last, on a line of its own,
/// indented. No secret is in them, and nothing that a server or a request wrote is in them as it came.
package enum Complaint: Error, Equatable {
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

    /// The complaint about a request that leads nowhere.
    package init(_ refusal: Place.Refusal) {
        switch refusal {
        case .malformedHost: self = .requestRefused(.malformedHost)
        case .downgrade: self = .downgrade
        }
    }

    /// What failed.
    package var text: String {
        switch self {
        case .requestRefused(let error): "refused a request: \(error)"
        case .downgrade: "refused a request: this host is known over https on its own port only"
        case .keyring(let error): error.sentence
        case .notSaved(let error): "the token was not saved and serves this command only: \(error.sentence)"
        case .notErased(let error): "nothing was removed: \(error.sentence)"
        case .nobodyHere(let host, nil): "not signed in to \(host), and nobody is here to sign in"
        case .nobodyHere(let host, let setting?): "not signed in to \(host), and \(setting) forbids asking"
        case .noClientID(let host): "cannot sign in to \(host): no OAuth client ID is configured"
        case .offline(let host, let error): "\(error.sentence(host: host)); the stored token was kept"
        case .serverInTrouble(let host, let status):
            "\(host) cannot renew the token just now (status \(status)); the stored token was kept"
        case .refreshRefused(let provider, _): "\(provider) no longer accepts the stored sign-in"
        case .otherNotFinished: "another sign-in or refresh has not finished"
        case .signIn(let error, let host, let clientID): error.sentence(host: host, clientID: clientID)
        case .notSignedIn(let host): "nothing is stored for \(host)"
        case .notRenewable(let host): "the token for \(host) cannot be renewed: it came without a refresh token"
        case .severalAccounts(let host, let names):
            "several accounts are stored for \(host): \(names.joined(separator: ", "))"
        case .notRevoked(let host, let error, _): "the token was not revoked: \(error.sentence(host: host))"
        case .revocationRefused(let host, let status, _):
            "the token was not revoked: \(host) refused (status \(status))"
        case .revocationUnsupported(let host, _):
            "the token was not revoked: \(host) offers no way to do that from here"
        case .notForSignIn(let host): "\(host) is not known as a host to sign in to"
        case .lockImpossible: "no safe place for a lock file: the runtime directory belongs to somebody else"
        }
    }

    /// What to do, a line each.
    package var hints: [String] {
        switch self {
        case .requestRefused, .downgrade, .lockImpossible: []
        case .keyring(let error), .notSaved(let error), .notErased(let error): error.hints
        case .nobodyHere(let host, let setting?):
            ["sign in once in a terminal, without \(setting):", "  git credential-gitspace login \(host)"]
        case .nobodyHere(let host, nil), .refreshRefused(_, let host), .otherNotFinished(let host):
            ["sign in once in a terminal:", "  git credential-gitspace login \(host)"]
        case .noClientID(let host):
            [
                "a personal access token typed at git's prompt is kept in the keyring as well",
                "or register an app on https://\(host)/settings/applications/new,",
                "tick \"Enable Device Flow\", and name its client ID:",
                "  git config --global credential.https://\(host).oauthClientId <client ID>",
            ]
        case .notSignedIn(let host): ["sign in with:", "  git credential-gitspace login \(host)"]
        case .notRenewable(let host): ["sign in anew:", "  git credential-gitspace login \(host) --force"]
        case .severalAccounts(let host, _):
            [
                "name one of them, or all:",
                "  git credential-gitspace logout \(host) --username NAME",
                "  git credential-gitspace logout \(host) --all",
            ]
        case .notRevoked(_, _, let page), .revocationRefused(_, _, let page), .revocationUnsupported(_, let page):
            page.map { ["it may still be good; withdraw the app's access on:", "  \($0)"] } ?? []
        case .notForSignIn(let host):
            [
                "if it is a GitHub Enterprise Server, say so:",
                "  git config --global credential.https://\(host).provider github",
            ]
        case .offline(_, let error): error.hints
        case .serverInTrouble: ["try again in a few minutes"]
        case .signIn(let error, let host, _): error.hints(host: host)
        }
    }
}
