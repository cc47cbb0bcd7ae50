internal import CredentialCore

/// What people write before the host of an address although nobody is called that: the user of ssh, and what hosts
/// recommend beside a token.
private let wordsForNobody = ["git", "oauth2", "x-access-token"]

extension Provider {
    /// Nobody can sign in by that name: it is a word for nobody, or the service gives no such names.
    package func isNobodys(_ name: [UInt8]) -> Bool {
        !isAccountName(name) || wordsForNobody.contains { ASCII.equalsIgnoringCase(name, $0) }
    }
}
