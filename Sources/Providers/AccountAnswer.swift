package import CredentialCore

/// What a provider says of a token and its owner.
package enum AccountAnswer: Equatable {
    /// The token is good; every name that the host gives for its owner, first the one to store it under. None if the
    /// host does not tell. The number is the account's own, whatever it is called; nil if the host does not tell.
    case accepted(names: [String], id: Int64? = nil)
    /// The token is good for nothing.
    case rejected
    /// Nobody can tell just now.
    case unknown
    /// Ctrl-C, or git is gone.
    case interrupted

    /// The answer to the holder of a token; a response that is no rejection is read by its own rules.
    ///
    /// A fault on the way is `.unknown`, and says nothing about the token.
    init(asking request: HTTPRequest, over transport: any Transport, reading read: (HTTPResponse) -> AccountAnswer) {
        do throws(TransportError) {
            let response = try transport.send(request)
            self = response.status == 401 ? .rejected : read(response)
        } catch {
            self.init(error)
        }
    }

    /// A fault on the way, which says nothing about the token.
    init(_ error: TransportError) { self = error == .interrupted ? .interrupted : .unknown }

    /// The account of that name, if it is one: a terminal and git's protocol would act on other characters than these.
    static func named(_ name: [UInt8], id: Int64?) -> AccountAnswer {
        guard ASCII.isPlain(name, with: "-_."), (1...255).contains(name.count) else { return .unknown }
        return .accepted(names: [String(decoding: name, as: UTF8.self)], id: id.flatMap { $0 > 0 ? $0 : nil })
    }
}

extension AccountAnswer {
    /// No host tells names apart by the case of ASCII letters.
    package func isOwner(_ username: [UInt8]) -> Bool {
        guard case .accepted(let names, _) = self else { return false }
        return names.contains { ASCII.equalsIgnoringCase(username, $0) }
    }

    /// Nil if the token is another account's, or if the host does not tell.
    ///
    /// The account is asked for in a spelling by which git finds the token again; nil for any.
    package func username(asked: [UInt8]?) -> [UInt8]? {
        guard case .accepted(let names, _) = self, let name = names.first else { return nil }
        guard let asked else { return Array(name.utf8) }
        return isOwner(asked) ? asked : nil
    }

    /// The owner's number at the host; nil if it does not tell.
    package var id: Int64? { if case .accepted(_, let id) = self { id } else { nil } }

    /// As the host calls the owner; nil if it does not tell.
    package var owner: DisplayText? {
        guard case .accepted(let names, _) = self else { return nil }
        return names.first.map { DisplayText(untrusted: $0.utf8) }
    }
}

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
