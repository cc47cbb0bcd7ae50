package import CredentialCore

/// The owner and repository of a path.
package struct InstallationPlace: Equatable {
    /// A person or an organisation.
    package let owner: String
    /// The repository's name without `.git`, or `nil` if the path ends with the owner.
    package let repository: String?
}

/// An app's installation for one owner.
package struct Installation: Equatable {
    /// The host's number for it.
    package let id: Int64
    package let owner: String
    package let isSuspended: Bool
    /// The app's permissions there, such as `contents` with `read` or `write`.
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
    /// The seconds for which it is valid.
    package let expiresIn: Int64
    /// The permissions, such as `contents:write`, separated by spaces, or `nil` if unknown.
    package let permissions: String?
}

/// The reason why an app gets no token for a request.
package enum InstallationFailure: Error, Equatable {
    /// A setting is missing.
    case incomplete(missing: SettingKey)
    /// Apps do not act in their own name on such a host.
    case unsupported
    /// The private key, configured at that place, cannot be used.
    case key(SigningKeyError, place: DisplayText)
    /// The host accepts neither the app's ID nor its key.
    case rejected(id: DisplayText)
    /// This machine's clock is that many seconds ahead of the host's, or behind.
    case clock(ahead: Int64)
    case notInstalled(owner: DisplayText, page: HTTPSAddress?)
    case notInstalledAnywhere(page: HTTPSAddress?)
    /// The path names no owner.
    case noOwner
    /// No setting chooses one of several installations, which have these owners.
    case several([DisplayText])
    /// A token for one repository is wanted, and the request names none.
    case repositoryUnknown
    case suspended(owner: DisplayText)
    case repositoryNotIncluded(DisplayText, page: HTTPSAddress?)
    /// The host forbids it for an unknown reason.
    case forbidden(status: Int)
    /// Two tokens in a row were rejected by git's server.
    case exhausted(owner: DisplayText)
    /// There was no answer.
    case transport(TransportError)
    /// The app has used up its requests for that many minutes.
    case rateLimited(minutes: Int64)
    case unavailable(status: Int)
    /// The answer does not follow the host's documentation.
    case malformed(status: Int)
}
