internal import CredentialCore

/// A request to the machine with the keyring: some of git's lines, in the format of git's credential-cache.
///
/// Lines that a server or a repository may have written (`wwwauth[]`) are of no use there, and a password never leaves
/// this machine.
struct ShareQuestion {
    /// The host in its canonical form.
    let host: [UInt8]
    let path: [UInt8]?
    /// The account; nil for any.
    let username: [UInt8]?
    /// The digest of the credential in the request.
    private let digest: [UInt8]?

    /// The question for a request; nil if the request is not for https.
    ///
    /// - Parameters:
    ///   - context: what the credential is for.
    ///   - request: git's request.
    init?(_ context: CredentialContext, _ request: Request) {
        guard ASCII.equalsIgnoringCase(context.protocol, "https") else { return nil }
        host = context.host.canonicalForHTTPS.text
        path = context.path
        username = request.username
        let (host, username) = (host, username ?? [])
        digest = request.password.map { StateValue.of(host: host, username: username, password: $0) }
    }

    /// The lines to send.
    ///
    /// - Parameters:
    ///   - action: what is asked for.
    ///   - isKnown: whether it is about the credential in the request. The other machine recognizes its own token by
    ///     the digest, which does not reveal the token.
    /// - Returns: the lines, including the last line end.
    func lines(_ action: Action, ofKnownCredential isKnown: Bool) -> [UInt8] {
        // `timeout` tells git's cache how long to keep what it stores; nothing is stored here.
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
