package import CredentialCore

package struct InstallationPlace: Equatable {
    package let owner: String
    /// The name without `.git`, or `nil` if the path ends with the owner.
    package let repository: String?
}

package struct Installation: Equatable {
    package let id: Int64
    package let owner: String
    package let isSuspended: Bool
    /// The app's permissions there, such as `contents` with `read` or `write`.
    package let permissions: [String: String]
}

extension Installation {
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
    /// The lifetime in seconds.
    package let expiresIn: Int64
    /// The permissions, such as `contents:write`, separated by spaces, or `nil` if unknown.
    package let permissions: String?
}

/// The reason why an app gets no token for a request.
package enum InstallationFailure: Error, Equatable {
    case incomplete(missing: SettingKey)
    /// The host has no apps that act in their own name.
    case unsupported
    /// The private key, configured at `place`, cannot be used.
    case key(SigningKeyError, place: DisplayText)
    /// The host rejects the app's ID or its key.
    case rejected(id: DisplayText)
    /// The seconds by which this machine's clock is ahead of the host's; negative if behind.
    case clock(ahead: Int64)
    case notInstalled(owner: DisplayText, page: HTTPSAddress?)
    case notInstalledAnywhere(page: HTTPSAddress?)
    case noOwner
    /// The owners of several installations, of which no setting chooses one.
    case several([DisplayText])
    /// The token must be for one repository, and the request names none.
    case repositoryUnknown
    case suspended(owner: DisplayText)
    case repositoryNotIncluded(DisplayText, page: HTTPSAddress?)
    case forbidden(status: Int)
    /// git's server rejected two tokens in a row.
    case exhausted(owner: DisplayText)
    case transport(TransportError)
    /// The app has used up its requests for some minutes.
    case rateLimited(minutes: Int64)
    case unavailable(status: Int)
    /// The answer does not follow the host's documentation.
    case malformed(status: Int)
}
