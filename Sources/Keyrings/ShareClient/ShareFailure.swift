/// Why there is no token from the machine with the keyring.
package enum ShareFailure: Error, Equatable {
    /// There is no socket.
    case noSocket
    /// There is a socket, and nobody listens there any more.
    case unreachable
    /// It has nothing to say about this host.
    case silent
    /// It says that git shall not go on.
    case refused
    /// It did not answer in time.
    case late
    /// What it said is no answer.
    case unexpected
    /// The token that it has handed out has expired.
    case expired

    /// Whether git must not go on to prompt: the other side has said so, or has kept everybody waiting.
    package var endsSearch: Bool {
        switch self {
        case .noSocket, .unreachable, .silent: false
        case .refused, .late, .unexpected, .expired: true
        }
    }
}
