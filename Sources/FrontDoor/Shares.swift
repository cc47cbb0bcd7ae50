package import CredentialCore
package import ShareClient

/// The machines that share their sign-in with this one, for the front door.
package protocol Shares {
    /// Whether a person has named a socket, which is then asked before the keyring.
    var isNamed: Bool { get }

    /// Whether there is a socket to ask.
    func isThere(_ source: ShareClient.Source) -> Bool

    /// Asks for the credential of a request.
    func get(_ context: CredentialContext, _ request: Request, from source: ShareClient.Source) -> ShareClient.Reply

    /// Whether the credential in a request is the one that the other machine hands out.
    func handsOut(_ context: CredentialContext, _ request: Request, from source: ShareClient.Source) -> Bool

    /// Reports that the credential in a request was rejected.
    func reject(_ context: CredentialContext, _ request: Request, from source: ShareClient.Source)
}

extension ShareClient: Shares {}

extension ShareFailure {
    /// The message for a person, in one line; empty where git's own prompt says enough.
    ///
    /// In English only: the translations are in the full program, which may not be installed.
    func line(_ context: CredentialContext) -> String {
        let host = DisplayText(context.host.text).text
        let here: String
        switch self {
        case .noSocket: here = "no keyring here, and no machine shares its sign-in with this one"
        case .unreachable: here = "nobody listens at the shared socket"
        // A host that is not shared may be one where nobody wants to sign in.
        case .silent where context.builtIn == nil: return ""
        case .silent: here = "no token for " + host + " is shared with this machine"
        case .refused: here = "the machine with the keyring has not shared its token for " + host
        case .late: here = "the machine with the keyring did not answer in time"
        case .unexpected: here = "the machine with the keyring sent an unexpected response"
        case .expired: here = "the token for " + host + " that was shared has expired"
        }
        let isShared = self != .noSocket && self != .unreachable
        return "gitspace: error: " + here + "; on the machine with the keyring, run: git credential-gitspace share"
            + (isShared ? " list\n" : "\n")
    }
}
