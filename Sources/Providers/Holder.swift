package import CredentialCore

/// The holder of a token, as the host names it.
package enum Holder: Equatable {
    /// The account's names, first the one for storing the token, and the account's permanent number, or `nil` if
    /// unknown.
    case account(names: [String], id: Int64? = nil)
    /// The token is valid, and the host does not name the holder.
    case good
    case rejected
    /// The host did not answer the question; a transport error says nothing about the token.
    case unknown(TransportError? = nil)
    /// The person pressed Ctrl-C, or git ended.
    case interrupted

    /// Asks a host; `read` interprets every response except a rejection.
    init(asking request: HTTPRequest, over transport: any Transport, reading read: (HTTPResponse) -> Holder) {
        self.init { () throws(TransportError) in
            let response = try transport.send(request)
            return response.status == 401 ? .rejected : read(response)
        }
    }

    /// Asks a host in another way.
    init(_ ask: () throws(TransportError) -> Holder) {
        do throws(TransportError) { self = try ask() } catch {
            self = error == .interrupted ? .interrupted : .unknown(error)
        }
    }

    /// Makes the holder of an accepted token.
    init(names: [String]) { self = names.isEmpty ? .good : .account(names: names) }

    /// The account, or `.unknown` for a name with characters that a terminal or git's protocol would act on.
    static func named(_ name: [UInt8], id: Int64?) -> Holder {
        guard ASCII.isPlain(name, with: "-_."), (1...255).contains(name.count) else { return .unknown() }
        return .account(names: [String(decoding: name, as: UTF8.self)], id: id.flatMap { $0 > 0 ? $0 : nil })
    }

    /// The names; empty if the host gives none, or `nil` unless the token is accepted.
    package var names: [String]? {
        switch self {
        case .account(let names, _): names
        case .good: []
        case .rejected, .unknown, .interrupted: nil
        }
    }

    /// Ignores letter case, as all hosts do.
    package func isOwner(_ username: [UInt8]) -> Bool {
        names?.contains { ASCII.equalsIgnoringCase(username, $0) } ?? false
    }

    /// The name to store, spelt as asked so that git finds the token again.
    ///
    /// Returns `nil` if the token is another account's, or the host names no owner; `asked` is `nil` for any account.
    package func username(asked: [UInt8]?) -> [UInt8]? {
        guard let name = names?.first else { return nil }
        guard let asked else { return Array(name.utf8) }
        return isOwner(asked) ? asked : nil
    }

    package var id: Int64? { if case .account(_, let id) = self { id } else { nil } }
    package var owner: DisplayText? { names?.first.map { DisplayText(untrusted: $0.utf8) } }
}

package struct TokenDetails: Equatable {
    /// The scopes separated by spaces, or `nil` if unknown.
    package let scopes: String?
    /// The remaining seconds, or `nil` if unknown.
    package let expiresIn: Int64?
}
