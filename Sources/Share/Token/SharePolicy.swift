package import CredentialCore

/// The rules for what a target gets: pure, each with a test.
package struct SharePolicy {
    package let target: ShareTarget

    package init(_ target: ShareTarget) { self.target = target }

    /// In seconds; a token with less is refreshed first.
    ///
    /// What is handed out cannot be exchanged later: a long clone inside must not outlive its token. As everywhere, a
    /// quarter of the token's lifetime if that is less.
    package static let margin: Int64 = 600

    package enum Verdict {
        /// Without an answer: not a request, not for this target, or one that does nothing here.
        case ignored
        /// The host is the target's, but not the account: `quit=1`, so that git inside does not prompt for a password.
        case refused(ShareRefusal, ShareTarget.Host)
        case get(ShareTarget.Host, username: [UInt8]?)
        /// So says the target.
        case rejected(ShareTarget.Host, Rejection)
    }

    package struct Rejection {
        /// Nil if the target does not say.
        package let username: [UInt8]?
        private let password: Secret

        /// Nil if the request names nothing.
        fileprivate init?(_ request: Request) {
            guard let password = request.password else { return nil }
            username = request.username
            self.password = password
        }

        package func names(_ credential: StoredCredential) -> Bool { password == credential.password }
    }

    /// Our own user, or root, as which rootful containers are seen.
    ///
    /// This keeps other users out, and proves nothing about who is behind it: ssh connects as us for whoever uses it on
    /// the far side.
    package static func admits(user: UInt32, own: UInt32) -> Bool {
        // Whoever has no number in our user namespace has this one: user_namespaces(7), "Unmapped user and group IDs".
        user != 65_534 && (user == own || user == 0)
    }

    /// Before anything is looked up.
    package func verdict(on request: Secret) -> Verdict {
        guard let asked = ShareRequest(parsing: request), asked.request.protocol == CredentialContext.https,
            let host = target.host(named: asked.request.host)
        else { return .ignored }
        let username = asked.request.username
        if let only = host.username, let username, !ASCII.equalsIgnoringCase(username, only) {
            return asked.action == .get ? .refused(.otherAccount, host) : .ignored
        }
        switch asked.action {
        case .get: return .get(host, username: username)
        case .store: return .ignored
        case .erase:
            guard let rejection = Rejection(asked.request) else { return .ignored }
            return .rejected(host, rejection)
        }
    }

    /// Nil if the target may have the credential, the only one that comes into question.
    ///
    /// Where we sign in, the case of a name does not matter; that is asked only if it makes a difference.
    package func refusal(
        of credential: StoredCredential, askedAs username: [UInt8]?, on host: ShareTarget.Host,
        isSignInHost: () -> Bool
    ) -> ShareRefusal? {
        func isMeant(_ name: [UInt8]?) -> Bool {
            guard let name, name != credential.username else { return true }
            return ASCII.equalsIgnoringCase(name, credential.username) && isSignInHost()
        }
        guard isMeant(host.username), isMeant(username) else { return .otherAccount }
        // Through a gateway, it does not leave this machine.
        guard case .token(let terms) = target.access else { return nil }
        // Such a credential has no name and no password that git's cache could print.
        guard credential.authtype == nil else { return .notAPassword }
        guard terms.isLongLived || !credential.isEndless else { return .doesNotExpire }
        return nil
    }
}

extension StoredCredential {
    /// A grant without its access token has one that has expired, by its own word.
    fileprivate var isEndless: Bool { passwordExpiryUTC == nil }
}

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
