package import CredentialCore
internal import Messages

/// The process that asks, as the kernel vouches for it (unix(7), SO_PEERCRED).
package struct SharePeer: Equatable, Sendable {
    /// In our own namespace, and of use for nothing but a name: the process may have ended.
    package let process: Int32
    /// The effective one, in our own namespace.
    package let user: UInt32

    package init(process: Int32, user: UInt32) {
        self.process = process
        self.user = user
    }
}

/// An entry of the log: never a token.
package enum ShareEvent: Equatable {
    case given(host: DisplayText, username: DisplayText, SharePeer)
    case refused(ShareRefusal, host: DisplayText, SharePeer)
    /// Another user of this machine, or one of a container that is neither root nor us.
    case turnedAway(user: UInt32)
    /// The host rejects the token that the target has.
    case replaced(host: DisplayText, username: DisplayText)
    /// A connection of a gateway may use a token.
    case used
    /// A connection of a gateway tells it.
    case gateway(GatewayMessage)
}

/// The events that were logged lately: a target that asks in a loop must not fill the log.
struct ShareLog {
    /// Milliseconds before the same event is logged again.
    private static let interval: Int64 = 60_000

    private var told: [(event: ShareEvent, time: Int64)] = []

    /// Whether an event is worth logging.
    mutating func isNew(_ event: ShareEvent, at now: Int64) -> Bool {
        told.removeAll { now - $0.time >= Self.interval }
        let isKnown = told.contains { $0.event.isSame(as: event) }
        if !isKnown { told.append((event, now)) }
        return !isKnown
    }
}

extension ShareEvent {
    /// Whether both are equal, apart from the process.
    fileprivate func isSame(as other: ShareEvent) -> Bool {
        switch (self, other) {
        case (.given(let host, let name, let peer), .given(let otherHost, let otherName, let otherPeer)):
            host == otherHost && name == otherName && peer.user == otherPeer.user
        case (.refused(let why, let host, let peer), .refused(let otherWhy, let otherHost, let otherPeer)):
            why == otherWhy && host == otherHost && peer.user == otherPeer.user
        case (.gateway(.refused(let name, let why, _)), .gateway(.refused(let otherName, let otherWhy, _))):
            name == otherName && why == otherWhy
        case (.gateway(.rejected(let name, _)), .gateway(.rejected(let otherName, _))): name == otherName
        default: self == other
        }
    }

    /// None for what is of no interest to a person.
    func lines(_ target: ShareTarget) -> [Message] {
        switch self {
        case .used: return []
        case .gateway(let message): return message.lines(target)
        case .given(let host, let username, let peer):
            return [
                Message(
                    "%1$s: gave the credentials of %2$s to process %3$s (user %4$s)", host, username, Int(peer.process),
                    Int(peer.user))
            ]
        case .refused(let why, let host, let peer):
            return [
                Message(
                    "%1$s: refused process %2$s (user %3$s): %4$s", host, Int(peer.process), Int(peer.user), why.text)
            ]
        case .turnedAway(let user):
            return [Message("refused user %1$s: only your own user and root may use this share", Int(user))]
        case .replaced(let host, let username):
            return [Message("%1$s: refreshed the token of %2$s, because the server rejects it", host, username)]
        }
    }
}

extension GatewayMessage {
    fileprivate func lines(_ target: ShareTarget) -> [Message] {
        let name = DisplayText(trusted: target.name.text)
        switch self {
        case .wanted: return []
        case .fetched(let repository): return [Message("%1$s: fetched %2$s", name, repository)]
        case .pushed(let repository, let refs):
            return refs.map { ref in
                switch ref.change {
                case .created: Message("%1$s: pushed %2$s to %3$s (new, %4$s)", name, ref.name, repository, ref.id)
                case .updated: Message("%1$s: pushed %2$s to %3$s (%4$s)", name, ref.name, repository, ref.id)
                case .deleted: Message("%1$s: deleted %2$s on %3$s", name, ref.name, repository)
                }
            }
        case .rejected(let repository, let refs):
            return [
                Message(
                    "%1$s: the server rejected a push to %2$s on %3$s", name, refs.joined(separator: ", "), repository)
            ]
        case .refused(let repository, let reason, let refs):
            let why =
                switch reason {
                case .branches: Message("only %1$s may be pushed", target.access.gateway?.branchNames ?? "")
                case .signed: Message("signed pushes are not passed on where branches are limited")
                case .options: Message("push options are not passed on where branches are limited")
                }
            return [
                Message(
                    "%1$s: refused a push to %2$s on %3$s: %4$s", name, refs.joined(separator: ", "), repository, why)
            ]
        case .failed(let repository, let fault):
            return [Message("%1$s: %2$s failed: %3$s", name, repository, fault.text)]
        }
    }
}

extension GatewayMessage.Fault {
    fileprivate var text: Message {
        switch self {
        case .tokenRejected: Message("the server rejected the token")
        case .readForbidden: Message("the account may not read it")
        case .pushForbidden: Message("the account may not push to it")
        case .missing: Message("the server has no such repository that the account can see")
        case .moved: Message("the server has moved it")
        case .unreachable: Message("the server cannot be reached; see why with \"git credential-gitspace doctor\"")
        case .malformed: Message("the server sent an unexpected response")
        }
    }
}
