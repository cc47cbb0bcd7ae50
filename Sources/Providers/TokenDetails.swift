/// What a host tells of a token that it accepts, beyond its owner.
package struct TokenDetails: Equatable {
    /// Separated by spaces; nil if the host does not tell them.
    package let scopes: String?
    /// The seconds that are left; nil if the host does not tell them.
    package let expiresIn: Int64?

    package init(scopes: String?, expiresIn: Int64?) {
        self.scopes = scopes
        self.expiresIn = expiresIn
    }
}
