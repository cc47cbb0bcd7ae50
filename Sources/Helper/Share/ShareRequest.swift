package import CredentialCore

/// What a place asks: the framing of git's credential-cache, and the request of git's in it.
///
/// `git credential-cache --socket PATH` sends a line with the action, one with a time, and what it has read from git
/// (builtin/credential-cache.c in git). So an unmodified git is a client.
package struct ShareRequest {
    /// What is asked for.
    package let action: Action
    /// What it is about, checked as every request.
    package let request: Request

    /// The actions that mean something here; `exit`, with which git ends its own cache, is none of them.
    package enum Action: String, CaseIterable {
        case get
        case store
        case erase
    }

    /// The most bytes of a request: an honest one has some hundreds.
    package static let longest = 8_192

    /// Reads a request; nil for anything else.
    ///
    /// Nobody is told why: a place that does not follow the protocol is not answered.
    ///
    /// - Parameter bytes: what has come up to a blank line or the end.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.longest else { return nil }
        var rest = bytes[...]
        guard let action = Self.take("action=", from: &rest), let timeout = Self.take("timeout=", from: &rest),
            let known = Action.allCases.first(where: { $0.rawValue.utf8.elementsEqual(action) }),
            // How long a cache keeps what it stores, which is nothing here.
            DecimalNumber.parse(timeout) != nil, let request = try? Request(parsing: Array(rest))
        else { return nil }
        self.action = known
        self.request = request
    }

    /// Takes a line off the front, and returns what stands behind its key.
    private static func take(_ key: StaticString, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let key = Array(key.description.utf8)
        guard rest.starts(with: key), let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end].dropFirst(key.count)
    }
}
