package import CredentialCore
package import Helper

/// Everything outside that sharing uses.
package struct ShareDependencies {
    package let shares: any Shares
    let screen: any ShareScreen
    let clock: any Clock
    /// Made again for each request of a place; they reach nobody.
    let dependencies: () -> Dependencies
    /// Those of whoever shares, who can be asked; with the settings for a host.
    package let own: (HostName?) -> Dependencies
    /// Writes a line for people.
    package let say: (Message) -> Void
    /// The words of `check` for what a host says of a repository.
    let words: PullRequestTerms.Words

    package init(
        shares: any Shares, screen: any ShareScreen, clock: any Clock, dependencies: @escaping () -> Dependencies,
        own: @escaping (HostName?) -> Dependencies, say: @escaping (Message) -> Void,
        words: @escaping PullRequestTerms.Words
    ) {
        self.words = words
        self.shares = shares
        self.screen = screen
        self.clock = clock
        self.dependencies = dependencies
        self.own = own
        self.say = say
    }
}

/// The shares of this user: their folders, sockets and processes.
package protocol Shares {
    /// Makes a place ready for requests, with git's configuration in its folder, or on the SSH host.
    ///
    /// - Returns: the place, which is ours until it is closed.
    /// - Throws: why it is not ready.
    func open(_ plan: SharePlan) throws(UserFacingError) -> any SharePlace

    /// Puts git's configuration into the folder, which is there, of a place whose socket systemd makes.
    func prepare(_ plan: SharePlan) throws(UserFacingError)

    /// Every place that is shared, or that systemd would share, by name.
    var all: [FoundShare] { get }

    /// The last record of a share by another process; nil if there is none.
    func record(of name: ShareName) -> ShareRecord?

    /// Stops a share, also by systemd.
    ///
    /// - Returns: whether there was anything to end.
    /// - Throws: that it goes on.
    func stop(_ name: ShareName) throws(UserFacingError) -> Bool

    /// Deletes the record of what is no longer shared.
    func forget(_ name: ShareName)

    /// Whether the kernel keeps the processes of a gateway's connections from the person's files.
    var confinesConnections: Bool { get }
    /// Whether SELinux is on, so that containers need permission to connect to our socket.
    var confinesContainers: Bool { get }
}

/// A place that is ready for requests.
package protocol SharePlace: AnyObject {
    /// The folder with the socket: the one to mount, or the one on the SSH host.
    var directory: String { get }

    /// Answers requests until something ends it.
    func serve(_ session: any ShareSession, until end: SharePlan.End?) -> ShareEnd

    /// The record of an earlier process; nil if there is none.
    var lastRecord: ShareRecord? { get }

    /// Saves what is to be known while it is shared.
    func write(_ record: ShareRecord)

    /// Removes the socket and what was provided, and ends a connection.
    func close()
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

/// A share that was found.
package struct FoundShare: Equatable {
    /// The name of its folder.
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
