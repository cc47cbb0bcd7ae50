package import CredentialCore
package import OAuth

/// What became of a revocation.
package enum RevocationOutcome: Equatable {
    /// The server has accepted it.
    case accepted
    /// The server offers no way for us; the person can withdraw the app's access on a page.
    case unsupported
    /// The server did not do it, and the tokens may still be good; its status.
    case refused(status: Int)
    /// A fault on the way; the tokens may still be good.
    case failed(TransportError)
}

extension Secret {
    /// Whether the bytes can stand in a JSON string as they are; a password that a person has typed may not.
    package var isToken: Bool {
        !isEmpty && reveal { $0.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c } }
    }
}
