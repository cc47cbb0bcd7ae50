internal import CredentialCore

/// What a provider says of a token and its owner.
package enum AccountAnswer: Equatable {
    /// The token is good; every name that the host gives for its owner, first the one to store it under. None if the
    /// host does not tell.
    case accepted(names: [String])
    /// The token is good for nothing.
    case rejected
    /// Nobody can tell just now.
    case unknown
    /// Ctrl-C, or git is gone.
    case interrupted

    /// The answer of an API that describes the owner of the token it is asked with.
    ///
    /// A fault on the way is `.unknown`, and says nothing about the token.
    ///
    /// - Parameters:
    ///   - request: carries the token.
    ///   - member: what the API calls the account's name.
    ///   - isUnnamed: whether a response says that the token is good, and not whose it is.
    ///   - transport: the way.
    init(
        asking request: HTTPRequest, for member: String, orUnnamedIf isUnnamed: (HTTPResponse) -> Bool = { _ in false },
        over transport: any Transport
    ) {
        let response: HTTPResponse
        do {
            response = try transport.send(request)
        } catch {
            self.init(error)
            return
        }
        switch response.status {
        case 401: self = .rejected
        case 200: self = Self.named(JSONValue(parsing: response.body)?[member]?.string ?? [])
        default: self = isUnnamed(response) ? .accepted(names: []) : .unknown
        }
    }

    /// A fault on the way, which says nothing about the token.
    init(_ error: TransportError) { self = error == .interrupted ? .interrupted : .unknown }

    /// The account of that name, if it is one: a terminal and git's protocol would act on other characters than these.
    private static func named(_ name: [UInt8]) -> AccountAnswer {
        let isPlain = name.allSatisfy { ASCII.isLetterOrDigit($0) || "-_.".utf8.contains($0) }
        guard isPlain, (1...255).contains(name.count) else { return .unknown }
        return .accepted(names: [String(decoding: name, as: UTF8.self)])
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
