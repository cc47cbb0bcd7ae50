package import CredentialCore

/// A request in the framing of git's own cache (builtin/credential-cache.c in git).
///
/// `git credential-cache --socket PATH` sends a line with the action, one with a time, and what it has read from git;
/// so an unmodified git is a client.
package struct ShareRequest {
    package let action: Action
    /// Checked as every request.
    package let request: Request

    /// `exit`, with which git ends its own cache, means nothing here.
    package enum Action: String, CaseIterable {
        case get
        case store
        case erase
    }

    /// In bytes; an honest request has some hundreds.
    package static let longest = 8_192

    /// Nil for anything else: a target that does not follow the protocol is not answered.
    package init?(parsing text: Secret) {
        guard text.count <= Self.longest else { return nil }
        let parsed = text.reveal { bytes -> (Action, Request)? in
            var rest = bytes[...]
            guard let action = Self.take("action=", from: &rest), let timeout = Self.take("timeout=", from: &rest),
                let known = Action.allCases.first(where: { $0.rawValue.utf8.elementsEqual(action) }),
                // How long a cache keeps what it stores, which is nothing here.
                DecimalNumber.parse(timeout) != nil, let request = try? Request(parsing: Secret(rest))
            else { return nil }
            return (known, request)
        }
        guard let parsed else { return nil }
        (action, request) = parsed
    }

    /// Returns what stands behind the key.
    private static func take(
        _ key: StaticString, from rest: inout Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer>? {
        let key = Array(key.description.utf8)
        guard rest.starts(with: key), let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end].dropFirst(key.count)
    }
}
