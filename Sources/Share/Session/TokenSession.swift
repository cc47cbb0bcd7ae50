package import CredentialCore
internal import Glibc
internal import Helper
package import System

/// The work for one place, from its first connection to its last.
package protocol ShareSession: AnyObject {
    var credentials: ShareCredentials { get }
    var connections: any ConnectionService { get }
    /// The most connections accepted at once, and in each second after that; `nil` for no limit.
    var rate: (burst: Int64, each: Int64)? { get }
    /// Ends all connections, and brings the record up to date.
    func end()
}

extension ShareSession {
    /// Serves the connections of a socket until `end`, in milliseconds of uptime; `isStopped` is called as
    /// `Listener.run` calls it.
    ///
    /// A yes keeps the process running without requests, and is forgotten when the screen locks.
    package func serve(
        _ socket: ListeningSocket, within limits: Listener.Limits, until end: Int64?,
        watching descriptors: @autoclosure () -> [Int32], isStopped: () -> Bool
    ) -> Listener.End {
        var limits = limits
        limits.rate = rate
        let (credentials, own) = (credentials, geteuid())
        return Listener(
            on: socket, limits: limits, admits: { credentials.admits(user: $0, own: own) }, connections
        ).run(
            until: end, watching: descriptors(), isStopped: isStopped, mayIdle: { !credentials.isHolding },
            tick: { credentials.tick() })
    }
}

/// Gives the token itself, in the framing of git's own cache: one request and one answer for each connection.
package final class TokenSession: ShareSession {
    package let credentials: ShareCredentials
    package private(set) lazy var connections: any ConnectionService = RequestConnections { [unowned self] in
        answer($0, from: $1, arrivedAt: $2, whileWaiting: $3)
    }
    package var rate: (burst: Int64, each: Int64)? { nil }
    package init(_ credentials: ShareCredentials) { self.credentials = credentials }

    package func end() { credentials.tell(.flush) }

    /// Returns the answer to a request; empty for requests outside the share.
    package func answer(
        _ request: Secret, from peer: Peer, arrivedAt arrival: Int64, whileWaiting: () -> Void
    ) -> Secret {
        switch credentials.plan.verdict(on: request) {
        case .ignored: return Secret([])
        case .refused(let refusal, let host): return refuse(refusal, host, peer)
        case .rejected(let host, let rejection):
            credentials.check(rejection, on: host)
            return Secret([])
        case .get(let host, let username):
            do throws(ShareRefusal) {
                let lookup = try credentials.lookup(for: host)
                try credentials.checkTime()
                let found = try credentials.allowed(lookup, askedAs: username, arrival, whileWaiting)
                let credential = try credentials.fresh(found, lookup, askedAs: username)
                try credentials.checkTime()
                credentials.tell(.given(ShareRecord.Account(host: host.name, username: credential.username), peer))
                // Our own request has no capabilities, so the answer has a name, a password and its expiry only.
                return Answer.credential(
                    StoredCredential(
                        username: credential.username, password: credential.password,
                        passwordExpiryUTC: credential.passwordExpiryUTC)
                ).encoded(for: lookup.request)
            } catch {
                return refuse(error, host, peer)
            }
        }
    }

    private func refuse(_ refusal: ShareRefusal, _ host: SharePlan.Host, _ peer: Peer) -> Secret {
        credentials.tell(.refused(refusal, host: DisplayText(untrusted: host.name), peer))
        // The reason is not sent: it would reveal accounts, or that the person is away.
        return Secret(Array("quit=1\n".utf8))
    }
}

extension SharePlan {
    package enum Verdict {
        /// No answer: the request is invalid, not for this target, or without effect here.
        case ignored
        /// The host is shared, but not the account: `quit=1` keeps git inside from prompting for a password.
        case refused(ShareRefusal, SharePlan.Host)
        case get(SharePlan.Host, username: [UInt8]?)
        /// The target reports that the host rejected the password in the request.
        case rejected(SharePlan.Host, Request)
    }

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
        case .store, .capability: return .ignored
        case .erase: return asked.request.password == nil ? .ignored : .rejected(host, asked.request)
        }
    }
}

/// A request in the framing of git's own cache (builtin/credential-cache.c in git), so that any git is a client: a line
/// with the action, one with a time, and git's own lines.
package struct ShareRequest {
    /// `exit`, with which git ends its own cache, gets no answer.
    package let action: Operation
    package let request: Request

    /// The most bytes of a request; an honest one has some hundreds.
    package static let longest = 8_192

    /// Returns `nil` if the text does not follow the protocol; such a client gets no answer.
    package init?(parsing text: Secret) {
        guard text.count <= Self.longest else { return nil }
        let parsed = text.reveal { bytes -> (Operation, Request)? in
            var rest = bytes[...]
            guard let action = Self.take("action=", from: &rest), let timeout = Self.take("timeout=", from: &rest),
                let known = Operation(rawValue: String(decoding: action, as: UTF8.self)),
                // The time for which a cache would keep the credential, unused here.
                DecimalNumber.parse(timeout) != nil, let request = try? Request(parsing: Secret(rest))
            else { return nil }
            return (known, request)
        }
        guard let parsed else { return nil }
        (action, request) = parsed
    }

    private static func take(
        _ key: StaticString, from rest: inout Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer>? {
        let key = Array(key.description.utf8)
        guard rest.starts(with: key), let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end].dropFirst(key.count)
    }
}
