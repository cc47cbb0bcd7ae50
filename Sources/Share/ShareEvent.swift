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
        default: self == other
        }
    }

    var line: Message {
        switch self {
        case .given(let host, let username, let peer):
            Message(
                "%1$s: gave the credentials of %2$s to process %3$s (user %4$s)", host, username, Int(peer.process),
                Int(peer.user))
        case .refused(let why, let host, let peer):
            Message(
                "%1$s: refused process %2$s (user %3$s): %4$s", host, Int(peer.process), Int(peer.user), why.text)
        case .turnedAway(let user):
            Message("refused user %1$s: only your own user and root may use this share", Int(user))
        case .replaced(let host, let username):
            Message("%1$s: refreshed the token of %2$s, because the server rejects it", host, username)
        }
    }
}
