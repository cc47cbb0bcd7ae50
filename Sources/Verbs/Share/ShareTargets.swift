internal import CredentialCore
package import Helper
package import Messages

/// Everything that sharing needs besides the verbs' dependencies.
package struct ShareDependencies {
    /// Opens places, and finds those that are open.
    let places: any ShareTargets
    /// Asks the person, and knows whether the screen is locked.
    let screen: any ShareScreen
    let clock: any Clock
    /// Made again for each request of a place.
    let dependencies: () -> Dependencies
    /// Forwards a place's socket to an SSH destination.
    let connect: (String, any OpenPlace) throws(UserFacingError) -> any ShareHold

    package init(
        places: any ShareTargets, screen: any ShareScreen, clock: any Clock,
        dependencies: @escaping () -> Dependencies,
        connect: @escaping (String, any OpenPlace) throws(UserFacingError) -> any ShareHold
    ) {
        self.places = places
        self.screen = screen
        self.clock = clock
        self.dependencies = dependencies
        self.connect = connect
    }
}

/// The places on this machine: their directories, sockets and processes.
package protocol ShareTargets {
    /// Makes a place ready for requests.
    ///
    /// - Parameters:
    ///   - name: which.
    ///   - kind: how it reaches the socket.
    ///   - isActivated: whether systemd has made the socket.
    /// - Returns: the place, which is ours until it is closed.
    /// - Throws: why it is not ready.
    func open(
        _ name: PlaceName, _ kind: ShareTarget.Kind, isActivated: Bool
    ) throws(UserFacingError) -> any OpenPlace

    /// Every place that is shared, or that systemd would share, by name.
    var all: [FoundPlace] { get }

    /// The last record of a place that another process shares or has shared; nil if there is none.
    func record(of name: PlaceName) -> ShareRecord?

    /// Stops sharing a place, also by systemd.
    ///
    /// - Returns: whether there was anything to end.
    /// - Throws: that it goes on.
    func stop(_ name: PlaceName) throws(UserFacingError) -> Bool

    /// Deletes the record of a place that is no longer shared.
    func forget(_ name: PlaceName)

    /// Whether SELinux is on, so that containers need permission to connect to our socket.
    var confinesContainers: Bool { get }
}

/// A place that is ready for requests.
package protocol OpenPlace: AnyObject {
    /// The directory to mount.
    var directory: String { get }
    /// The socket in it.
    var socket: String { get }

    /// Where ssh may put a socket of its own, which the place does not see.
    var control: String { get }

    /// Answers requests until something ends it.
    ///
    /// - Parameters:
    ///   - end: the latest end, in milliseconds of uptime.
    ///   - idle: how long without a request, in milliseconds; nil for no limit.
    ///   - hold: the connection to the other machine; its end ends this as well.
    ///   - responder: makes the answers.
    /// - Returns: why it ended.
    func serve(
        until end: Int64?, idle: Int64?, holding hold: (any ShareHold)?, _ responder: ShareResponder
    ) -> ShareEnd

    /// The record of an earlier process; nil if there is none.
    var lastRecord: ShareRecord? { get }

    /// Saves what is to be known while it is shared.
    func write(_ record: ShareRecord)

    /// Ends it.
    func close()
}

/// A connection to another machine, during which a place is shared with it.
package protocol ShareHold: AnyObject {
    /// The directory there in which the socket is.
    var directory: String { get }
    /// The descriptors of which one becomes readable when it ends; looking whether it has may close one.
    var numbers: [Int32] { get }
    /// Whether it has ended.
    var hasEnded: Bool { get }
    /// Ends it, and waits until what it created there is gone.
    func end()
}

/// Why sharing ended.
package enum ShareEnd: Equatable, Sendable {
    /// Ctrl-C, `share stop`, or the end of the session.
    case stopped
    /// The time is over.
    case elapsed
    /// No requests for a while; systemd starts it again at the next one.
    case idle
    /// The connection to the other machine is gone.
    case disconnected
}

/// A place that was found.
package struct FoundPlace: Equatable {
    /// The name of its directory.
    package let name: PlaceName
    /// Its record; nil if there is none.
    package let record: ShareRecord?
    /// Whether a process shares it; otherwise systemd waits for a request.
    package let isRunning: Bool

    package init(name: PlaceName, record: ShareRecord?, isRunning: Bool) {
        self.name = name
        self.record = record
        self.isRunning = isRunning
    }
}
