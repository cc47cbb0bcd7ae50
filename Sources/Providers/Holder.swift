package import CredentialCore

/// Who holds a token, by its host's word.
package enum Holder: Equatable {
    /// Every name that the host gives for the account, first the one to store the token under. The number is the
    /// account's own, whatever it is called; nil if the host does not tell.
    case account(names: [String], id: Int64? = nil)
    /// The token is good, and the host does not tell whose it is.
    case good
    /// The token is good for nothing.
    case rejected
    /// The host cannot tell just now; the error is a fault on the way, which says nothing about the token.
    case unknown(TransportError? = nil)
    /// Ctrl-C, or git is gone.
    case interrupted

    /// The answer to the holder of a token; a response that is no rejection is read by its own rules.
    init(asking request: HTTPRequest, over transport: any Transport, reading read: (HTTPResponse) -> Holder) {
        do throws(TransportError) {
            let response = try transport.send(request)
            self = response.status == 401 ? .rejected : read(response)
        } catch {
            self.init(error)
        }
    }

    init(_ error: TransportError) { self = error == .interrupted ? .interrupted : .unknown(error) }

    /// A host that accepts the token, and perhaps gives names.
    init(names: [String]) { self = names.isEmpty ? .good : .account(names: names) }

    /// The account of that name, if it is one: a terminal and git's protocol would act on other characters than these.
    static func named(_ name: [UInt8], id: Int64?) -> Holder {
        guard ASCII.isPlain(name, with: "-_."), (1...255).contains(name.count) else { return .unknown() }
        return .account(names: [String(decoding: name, as: UTF8.self)], id: id.flatMap { $0 > 0 ? $0 : nil })
    }
}

extension Holder {
    /// Empty if the host does not tell; nil unless it accepts the token.
    package var names: [String]? {
        switch self {
        case .account(let names, _): names
        case .good: []
        case .rejected, .unknown, .interrupted: nil
        }
    }

    /// No host tells names apart by the case of ASCII letters.
    package func isOwner(_ username: [UInt8]) -> Bool {
        names?.contains { ASCII.equalsIgnoringCase(username, $0) } ?? false
    }

    /// The name to store, in the asked spelling, by which git finds the token again, or `nil` if the token is another
    /// account's or the host names no owner; `asked` is `nil` for any account.
    package func username(asked: [UInt8]?) -> [UInt8]? {
        guard let name = names?.first else { return nil }
        guard let asked else { return Array(name.utf8) }
        return isOwner(asked) ? asked : nil
    }

    /// The owner's number at the host; nil if it does not tell.
    package var id: Int64? { if case .account(_, let id) = self { id } else { nil } }

    /// As the host calls the owner; nil if it does not tell.
    package var owner: DisplayText? { names?.first.map { DisplayText(untrusted: $0.utf8) } }
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
