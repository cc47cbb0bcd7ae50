package import CredentialCore
package import Helper
package import Messages

/// Everything outside that sharing uses.
package struct ShareDependencies {
    package let targets: any ShareTargets
    let screen: any ShareScreen
    let clock: any Clock
    /// Made again for each request of a target; they reach nobody.
    let dependencies: () -> Dependencies
    /// Those of whoever shares, who can be asked; with the settings for a host.
    let own: (HostName?) -> Dependencies
    /// Forwards a socket to an SSH destination, with the lines of git's configuration for the folder there.
    let connect: (String, any OpenShare, @escaping (String) -> [String]) throws(UserFacingError) -> any ShareHold
    /// Writes a line for people.
    let say: (Message) -> Void

    package init(
        targets: any ShareTargets, screen: any ShareScreen, clock: any Clock,
        dependencies: @escaping () -> Dependencies, own: @escaping (HostName?) -> Dependencies,
        connect:
            @escaping (String, any OpenShare, @escaping (String) -> [String]) throws(UserFacingError) -> any ShareHold,
        say: @escaping (Message) -> Void
    ) {
        self.targets = targets
        self.screen = screen
        self.clock = clock
        self.dependencies = dependencies
        self.own = own
        self.connect = connect
        self.say = say
    }
}

/// The targets on this machine: their directories, sockets and processes.
package protocol ShareTargets {
    /// Makes a target ready for requests.
    ///
    /// - Parameters:
    ///   - name: which.
    ///   - kind: how it reaches the socket.
    ///   - isActivated: whether systemd has made the socket.
    /// - Returns: the target, which is ours until it is closed.
    /// - Throws: why it is not ready.
    func open(
        _ name: ShareName, _ kind: ShareTarget.Kind, isActivated: Bool
    ) throws(UserFacingError) -> any OpenShare

    /// Puts git's configuration for a target into its folder, which is there; no line: there is none.
    func provide(_ configuration: [String], to name: ShareName) throws(UserFacingError)

    /// Every target that is shared, or that systemd would share, by name.
    var all: [FoundShare] { get }

    /// The last record of a target that another process shares or has shared; nil if there is none.
    func record(of name: ShareName) -> ShareRecord?

    /// Stops sharing a target, also by systemd.
    ///
    /// - Returns: whether there was anything to end.
    /// - Throws: that it goes on.
    func stop(_ name: ShareName) throws(UserFacingError) -> Bool

    /// Deletes the record of a target that is no longer shared.
    func forget(_ name: ShareName)

    /// Whether the kernel keeps the processes of a gateway's connections from the person's files.
    var confinesConnections: Bool { get }
    /// Whether SELinux is on, so that containers need permission to connect to our socket.
    var confinesContainers: Bool { get }
}

/// A target that is ready for requests.
package protocol OpenShare: AnyObject {
    /// The directory to mount.
    var directory: String { get }
    /// The socket in it.
    var socket: String { get }

    /// Where ssh may put a socket of its own, which the target does not see.
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

/// A connection to another machine, during which a target is shared with it.
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
    /// `share stop`, or the end of the session.
    case stopped
    /// Ctrl-C.
    case interrupted
    /// The time is over.
    case elapsed
    /// No requests for a while; systemd starts it again at the next one.
    case idle
    /// The connection to the other machine is gone.
    case disconnected
}

/// A target that was found.
package struct FoundShare: Equatable {
    /// The name of its directory.
    package let name: ShareName
    /// Its record; nil if there is none.
    package let record: ShareRecord?
    /// Whether a process shares it; otherwise systemd waits for a request.
    package let isRunning: Bool

    package init(name: ShareName, record: ShareRecord?, isRunning: Bool) {
        self.name = name
        self.record = record
        self.isRunning = isRunning
    }
}
