package import CredentialCore

/// What a path on a host names.
package struct InstallationPlace: Equatable {
    /// A person or an organisation.
    package let owner: String
    /// The repository's name, without `.git`; nil if the path ends with the owner.
    package let repository: String?
}

/// An app's installation for one owner.
package struct Installation: Equatable {
    /// The host's number for it.
    package let id: Int64
    package let owner: String
    package let isSuspended: Bool
    /// What the app may do there: `contents` is `read` or `write`.
    package let permissions: [String: String]
}

extension Installation {
    /// Reads an installation as GitHub describes it.
    init?(_ body: JSONValue) {
        guard let id = body["id"]?.wholeNumber, id > 0, let owner = body["account"]?["login"]?.string,
            (1...100).contains(owner.count), ASCII.isPlain(owner, with: "-_")
        else { return nil }
        self.init(
            id: id, owner: String(decoding: owner, as: UTF8.self), isSuspended: body["suspended_at"] != nil,
            permissions: Self.permissions(body))
    }

    /// The permissions whose names and values are plain words.
    static func permissions(_ body: JSONValue) -> [String: String] {
        guard case .object(let members)? = body["permissions"] else { return [:] }
        func isWord(_ text: some Collection<UInt8>) -> Bool {
            (1...50).contains(text.count) && ASCII.isPlain(text, with: "_")
        }
        var permissions: [String: String] = [:]
        for (name, value) in members where permissions.count < 40 && isWord(name.utf8) {
            if let text = value.string, isWord(text) { permissions[name] = String(decoding: text, as: UTF8.self) }
        }
        return permissions
    }
}

package struct InstallationToken {
    package let token: Secret
    /// Seconds.
    package let expiresIn: Int64
    /// What it may do, as `contents:write` separated by spaces; nil if the host did not say.
    package let permissions: String?
}

/// Why an app gets no token for a request.
package enum InstallationFailure: Error, Equatable {
    case incomplete(missing: SettingKey)
    /// Apps do not act in their own name on such a host.
    case unsupported
    /// Where it is configured to be.
    case key(SigningKeyError, place: DisplayText)
    /// The host accepts neither the app's ID nor its key.
    case rejected(id: DisplayText)
    /// This machine's clock is so many seconds ahead of the host's, or behind.
    case clock(ahead: Int64)
    case notInstalled(owner: DisplayText, page: HTTPSAddress?)
    case notInstalledAnywhere(page: HTTPSAddress?)
    /// The path names no owner.
    case noOwner
    /// Nothing says which is meant; whose they are.
    case several([DisplayText])
    /// A token for one repository is wanted, and nothing says which.
    case repositoryUnknown
    case suspended(owner: DisplayText)
    case repositoryNotIncluded(DisplayText, page: HTTPSAddress?)
    /// For a reason that we do not know.
    case forbidden(status: Int)
    /// Two tokens in a row were rejected by git's server.
    case exhausted(owner: DisplayText)
    case transport(TransportError)
    case rateLimited(minutes: Int64)
    case unavailable(status: Int)
    /// Not what the host's documentation says.
    case malformed(status: Int)
}
