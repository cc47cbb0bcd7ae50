package import CredentialCore
internal import Helper

/// A credential that another tool has stored.
struct ForeignCredential {
    /// The tool.
    let source: ImportSource
    /// The protocol, host, account and path, as that tool stored them, unchecked.
    let `protocol`: [UInt8]
    let host: [UInt8]
    let user: [UInt8]
    let path: [UInt8]?
    /// The password or token.
    let password: Secret
    /// When it was last changed, in seconds since 1970; nil if unknown.
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

    /// As if git had stored it: nobody has said whose it is but that tool.
    var stored: StoredCredential { StoredCredential(username: user, password: password) }

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

/// What was found, and what of it cannot be imported.
struct ForeignCredentials {
    var credentials: [ForeignCredential] = []
    var leftOut: [ImportLeftOut] = []

    static func += (left: inout ForeignCredentials, right: ForeignCredentials) {
        left.credentials += right.credentials
        left.leftOut += right.leftOut
    }
}

/// The tools whose credentials can be imported.
package enum ImportSource: String, CaseIterable {
    /// GitHub's command line.
    case gh
    /// Git Credential Manager.
    case gcm
    /// git's own credential-store.
    case store
}

/// What is not imported, and why.
package enum ImportLeftOut: Equatable {
    /// A file that cannot be read.
    case unreadableFile(String)
    /// Lines of a file that are not URLs with a password.
    case badLines(String, count: Int)
    /// A token of gh without a name.
    case nameless(host: DisplayText)
    /// A refresh token, which only the app that it was issued to can use.
    case refreshToken(host: DisplayText)
}

/// How to remove a copy that was left in place.
package enum ImportRemoval: Hashable {
    /// gh removes the account, from the keyring and from its file.
    case ghLogout(user: DisplayText, host: DisplayText)
    /// The item with these attributes is taken out of the keyring.
    case secretTool(service: DisplayText, account: DisplayText)
    /// The file is removed.
    case wholeFile
}
