package import CredentialCore

/// A provider's answer about a token and its owner.
package enum AccountAnswer: Equatable {
    /// The token is valid. The names are the owner's, the first for storing, or empty if the host names none. `id` is
    /// the account's number, which outlasts a renaming, or `nil` if unknown.
    case accepted(names: [String], id: Int64? = nil)
    /// The token is not valid.
    case rejected
    /// The host cannot answer now.
    case unknown
    /// The person pressed Ctrl-C, or git ended.
    case interrupted

    /// Asks with a token; responses other than rejections are read by `read`.
    ///
    /// A fault on the way is `.unknown`.
    init(asking request: HTTPRequest, over transport: any Transport, reading read: (HTTPResponse) -> AccountAnswer) {
        do throws(TransportError) {
            let response = try transport.send(request)
            self = response.status == 401 ? .rejected : read(response)
        } catch {
            self.init(error)
        }
    }

    /// The answer for a fault on the way, which proves nothing about the token.
    init(_ error: TransportError) { self = error == .interrupted ? .interrupted : .unknown }

    /// The account of that name, if it is a safe one: a terminal and git's protocol would act on other characters.
    static func named(_ name: [UInt8], id: Int64?) -> AccountAnswer {
        guard ASCII.isPlain(name, with: "-_."), (1...255).contains(name.count) else { return .unknown }
        return .accepted(names: [String(decoding: name, as: UTF8.self)], id: id.flatMap { $0 > 0 ? $0 : nil })
    }
}

extension AccountAnswer {
    /// Whether a name is the owner's; hosts ignore the case of ASCII letters.
    package func isOwner(_ username: [UInt8]) -> Bool {
        guard case .accepted(let names, _) = self else { return false }
        return names.contains { ASCII.equalsIgnoringCase(username, $0) }
    }

    /// The name to store, in the asked spelling, by which git finds the token again, or `nil` if the token is another
    /// account's or the host names no owner; `asked` is `nil` for any account.
    package func username(asked: [UInt8]?) -> [UInt8]? {
        guard case .accepted(let names, _) = self, let name = names.first else { return nil }
        guard let asked else { return Array(name.utf8) }
        return isOwner(asked) ? asked : nil
    }

    /// The owner's number at the host, or `nil` if unknown.
    package var id: Int64? { if case .accepted(_, let id) = self { id } else { nil } }

    /// The owner's name at the host, or `nil` if unknown.
    package var owner: DisplayText? {
        guard case .accepted(let names, _) = self else { return nil }
        return names.first.map { DisplayText(untrusted: $0.utf8) }
    }
}

/// The details of an accepted token, beyond its owner.
package struct TokenDetails: Equatable {
    /// The scopes separated by spaces, or `nil` if unknown.
    package let scopes: String?
    /// The remaining seconds, or `nil` if unknown.
    package let expiresIn: Int64?

    package init(scopes: String?, expiresIn: Int64?) {
        self.scopes = scopes
        self.expiresIn = expiresIn
    }
}
