package import CredentialCore
internal import Helper
package import System

/// The work for one place, by its kind of access, from its first connection to its last.
package protocol ShareSession: AnyObject {
    var credentials: ShareCredentials { get }
    var connections: any ConnectionService { get }
    /// Connections that are accepted at once, and after that in each second; nil for any number.
    var rate: (burst: Int64, each: Int64)? { get }
    /// Ends all connections.
    func end()
}

/// Gives the token itself, in the framing of git's own cache: one request and one answer for each connection.
package final class TokenSession: ShareSession {
    package let credentials: ShareCredentials
    package private(set) lazy var connections: any ConnectionService = RequestConnections {
        [unowned self] incoming, whileWaiting in
        answer(
            incoming.request, from: SharePeer(process: incoming.process, user: incoming.user),
            arrivedAt: incoming.arrival, whileWaiting: whileWaiting)
    }
    package var rate: (burst: Int64, each: Int64)? { nil }

    package init(_ credentials: ShareCredentials) { self.credentials = credentials }

    package func end() {}

    /// The answer to a request; the arrival is in milliseconds of uptime, when the connection was made.
    ///
    /// `whileWaiting` is called while the person is waited for. The answer is empty for everything that is not the
    /// place's.
    package func answer(
        _ request: Secret, from peer: SharePeer, arrivedAt arrival: Int64, whileWaiting: () -> Void
    ) -> Secret {
        switch credentials.plan.verdict(on: request) {
        case .ignored: return Secret([])
        case .refused(let refusal, let host): return refuse(refusal, host, peer)
        case .rejected(let host, let rejection):
            credentials.check(rejection, on: host)
            return Secret([])
        case .get(let host, let username):
            do throws(ShareRefusal) {
                guard let own = try? host.request else { throw .notSignedIn }
                let credential = try credentials.credential(
                    on: host, askedAs: username, arrivedAt: arrival, whileWaiting: whileWaiting)
                credentials.tell(
                    .given(
                        host: DisplayText(untrusted: host.name), username: DisplayText(account: credential.username),
                        peer),
                    ShareRecord.Account(host: host.name, username: credential.username))
                // For our own request, which has no capabilities: a name, a password, its end, and nothing else.
                return Answer.credential(
                    StoredCredential(
                        username: credential.username, password: credential.password,
                        passwordExpiryUTC: credential.passwordExpiryUTC)
                ).encoded(for: own)
            } catch {
                return refuse(error, host, peer)
            }
        }
    }

    private func refuse(_ refusal: ShareRefusal, _ host: SharePlan.Host, _ peer: SharePeer) -> Secret {
        credentials.tell(.refused(refusal, host: DisplayText(untrusted: host.name), peer), nil)
        // The reason is not sent: it would show which accounts there are, or that the person is away.
        return Secret(Array("quit=1\n".utf8))
    }
}

/// The rules for a request of a token: pure, each with a test.
extension SharePlan {
    package enum Verdict {
        /// Without an answer: not a request, not for this target, or one that does nothing here.
        case ignored
        /// The host is the target's, but not the account: `quit=1`, so that git inside does not prompt for a password.
        case refused(ShareRefusal, SharePlan.Host)
        case get(SharePlan.Host, username: [UInt8]?)
        /// So says the target.
        case rejected(SharePlan.Host, Rejection)
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

    /// Before anything is looked up.
    package func verdict(on request: Secret) -> Verdict {
        guard let asked = ShareRequest(parsing: request), asked.request.protocol == CredentialContext.https,
            let host = host(named: asked.request.host)
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
