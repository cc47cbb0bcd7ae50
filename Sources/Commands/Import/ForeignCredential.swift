package import CredentialCore
internal import Helper

/// A credential that another tool has stored.
struct ForeignCredential {
    /// Whose it is.
    let source: ImportSource
    /// The protocol, host, account and path, as that tool has them; nothing of it has been checked.
    let `protocol`: [UInt8]
    let host: [UInt8]
    let user: [UInt8]
    let path: [UInt8]?
    /// The password or token.
    let password: Secret
    /// When it was last changed, in seconds since 1970; nil if nobody knows.
    let modified: UInt64?
    /// Where it was found.
    let copy: Copy

    /// Where the credential stays after it has been copied.
    enum Copy: Hashable {
        /// In the keyring; what removes exactly this item.
        case keyring(removal: ImportRemoval)
        /// In a file, in plain text; how its own tool removes it, if it does.
        case file(String, removal: ImportRemoval?)
    }

    init(
        source: ImportSource, protocol: [UInt8] = CredentialContext.https, host: [UInt8], user: [UInt8],
        path: [UInt8]? = nil,
        password: Secret, modified: UInt64?, copy: Copy
    ) {
        self.source = source
        self.protocol = `protocol`
        self.host = host
        self.user = user
        self.path = path
        self.password = password
        self.modified = modified
        self.copy = copy
    }
}

/// What was found, and what of it cannot be taken over.
struct ForeignCredentials {
    var credentials: [ForeignCredential] = []
    var leftOut: [ImportLeftOut] = []

    static func += (left: inout ForeignCredentials, right: ForeignCredentials) {
        left.credentials += right.credentials
        left.leftOut += right.leftOut
    }
}

/// The tools whose credentials can be taken over.
package enum ImportSource: String, CaseIterable {
    /// GitHub's command line.
    case gh
    /// Git Credential Manager.
    case gcm
    /// git's own credential-store.
    case store
}

/// What is not taken over, and why.
package enum ImportLeftOut: Equatable {
    /// A file that cannot be read.
    case unreadableFile(String)
    /// Lines of a file that are no addresses with a password.
    case badLines(String, count: Int)
    /// A token of gh under no name.
    case nameless(host: DisplayText)
    /// A refresh token, which only the app that it was issued to can use.
    case refreshToken(host: DisplayText)
}

/// How a copy is removed that stays where it was.
package enum ImportRemoval: Hashable {
    /// gh forgets the account, in the keyring and in its file.
    case ghLogout(user: DisplayText, host: DisplayText)
    /// The item with these attributes is taken out of the keyring.
    case secretTool(service: DisplayText, account: DisplayText)
    /// The file goes.
    case wholeFile
}
