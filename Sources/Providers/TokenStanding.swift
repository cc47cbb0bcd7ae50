/// How a token stands with the host that it is for.
package enum TokenStanding: Equatable {
    /// It is good; its scopes, separated by spaces, and the seconds that it has left, as far as the host tells them.
    case accepted(scopes: String?, expiresIn: Int64?)
    /// It is good for nothing.
    case rejected
    /// Nobody can tell just now.
    case unknown

    /// What the answer about its owner says of a token.
    package init(_ answer: AccountAnswer) {
        self =
            switch answer {
            case .username: .accepted(scopes: nil, expiresIn: nil)
            case .rejected: .rejected
            case .unknown, .interrupted: .unknown
            }
    }
}
