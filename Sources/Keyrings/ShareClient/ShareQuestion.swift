internal import CredentialCore

/// What is asked of the machine with the keyring: the framing of git's credential-cache, and lines of git's.
///
/// Not all of git's lines: what a server or a repository may have written (`wwwauth[]`) is of no use there, and a password
/// never leaves.
struct ShareQuestion {
    /// The host, as a request names it that has its usual form.
    let host: [UInt8]
    let path: [UInt8]?
    /// The account; nil for any.
    let username: [UInt8]?
    /// The digest of the credential in the request.
    private let digest: [UInt8]?

    /// The question for a request; nil for one that is not about https.
    ///
    /// - Parameters:
    ///   - context: whose credential is wanted.
    ///   - request: what git asks.
    init?(_ context: CredentialContext, _ request: Request) {
        guard ASCII.equalsIgnoringCase(context.protocol, "https") else { return nil }
        host = context.host.canonicalForHTTPS.text
        path = context.path
        username = request.username
        let (host, username) = (host, username ?? [])
        digest = request.password.map { StateValue.of(host: host, username: username, password: $0) }
    }

    /// The lines.
    ///
    /// - Parameters:
    ///   - action: what is asked for.
    ///   - isKnown: whether it is about the credential in the request. By its digest the other side knows its own token
    ///     again; nobody learns the token from it.
    /// - Returns: the lines, up to the last line end.
    func lines(_ action: Action, ofKnownCredential isKnown: Bool) -> [UInt8] {
        // How long git's cache would keep what it stores; nothing is stored.
        var lines = Array("action=".utf8) + action.rawValue.utf8 + "\ntimeout=900\nprotocol=https\nhost=".utf8 + host
        if let path { lines += Array("\npath=".utf8) + path }
        if let username { lines += Array("\nusername=".utf8) + username }
        if isKnown, let digest { lines += Array("\nstate[]=".utf8) + digest }
        return lines + "\n".utf8
    }

    enum Action: String {
        case get
        case erase
    }
}
