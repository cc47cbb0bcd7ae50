package import CredentialCore

/// The person at the desktop, who is asked whether a place may have a token.
package protocol ShareScreen: AnyObject {
    /// Whether the screen is locked; nil if nothing here can tell.
    var isLocked: Bool? { get }

    /// Asks, and waits for the answer, for `patience` milliseconds at most.
    ///
    /// - Parameters:
    ///   - question: what is asked, in facts of our own: nothing in it comes from the place.
    ///   - whileWaiting: called ten times a second, so that requests that come meanwhile are taken in.
    /// - Returns: why not; nil for a yes.
    func ask(_ question: SharePrompt, whileWaiting: () -> Void) -> ShareRefusal?
}

/// What the person is asked.
package struct SharePrompt: Equatable {
    /// The place.
    package let place: SharedPlace
    /// The host whose token it would get.
    package let host: DisplayText
    /// The account whose token it would get.
    package let username: DisplayText

    package init(place: SharedPlace, host: DisplayText, username: DisplayText) {
        self.place = place
        self.host = host
        self.username = username
    }

    /// How long the person has, in milliseconds; git inside waits as long.
    package static let patience: Int64 = 30_000
}

/// Who is at the other end of a connection, as the kernel vouches for it (unix(7), SO_PEERCRED).
package struct SharePeer: Equatable, Sendable {
    /// In our own namespace, and of use for nothing but a name: the process may have ended.
    package let process: Int32
    /// The effective user ID in our own namespace.
    package let user: UInt32

    package init(process: Int32, user: UInt32) {
        self.process = process
        self.user = user
    }
}

/// What has happened at a place, for the log: never a token.
package enum ShareEvent: Equatable {
    case given(host: DisplayText, username: DisplayText, SharePeer)
    case refused(ShareRefusal, host: DisplayText, SharePeer)
    /// The host rejects the token that the place has, so there is a new one.
    case replaced(host: DisplayText, username: DisplayText)
}
