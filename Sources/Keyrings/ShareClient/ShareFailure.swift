/// Why there is no token from the machine with the keyring.
package enum ShareFailure: Error, Equatable {
    /// There is no socket.
    case noSocket
    /// There is a socket, but nothing listens there any more.
    case unreachable
    /// It has no answer for this host.
    case silent
    /// It says that git must not go on.
    case refused
    /// It did not answer in time.
    case late
    /// Its answer is invalid.
    case unexpected
    /// The token that it has handed out has expired.
    case expired

    /// Whether git must not go on to prompt: the other machine has said so, or has not sent a valid token in time.
    package var endsSearch: Bool {
        switch self {
        case .noSocket, .unreachable, .silent: false
        case .refused, .late, .unexpected, .expired: true
        }
    }
}
