package import CredentialCore
package import Helper

package struct ShareDependencies {
    package let shares: any Shares
    let screen: any ShareScreen
    let clock: any Clock
    /// Creates the dependencies for one request of a place, which cannot reach a person.
    let dependencies: () -> Dependencies
    /// Creates the dependencies of the person who shares, with the settings for a host.
    package let own: (HostName?) -> Dependencies
    package let say: (Message) -> Void
    /// The error of `check` for a host's answer about a repository.
    let words: RepositoryWords

    package init(
        shares: any Shares, screen: any ShareScreen, clock: any Clock, dependencies: @escaping () -> Dependencies,
        own: @escaping (HostName?) -> Dependencies, say: @escaping (Message) -> Void,
        words: @escaping RepositoryWords
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

package protocol Shares {
    /// Makes a place ready for requests, with git's configuration in its folder, or on the SSH host.
    func open(_ plan: SharePlan) throws(UserFacingError) -> any SharePlace

    /// Puts git's configuration into the existing folder of a place whose socket systemd makes.
    func prepare(_ plan: SharePlan) throws(UserFacingError)

    /// Every place that is shared or that systemd would share, by name.
    var all: [FoundShare] { get }

    /// The last record of a share by another process, or `nil` if there is none.
    func record(of name: ShareName) -> ShareRecord?

    /// Stops a share, and its systemd units; returns whether there was one.
    ///
    /// - Throws: an error if the share still runs.
    func stop(_ name: ShareName) throws(UserFacingError) -> Bool

    /// Deletes the record of an ended share.
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

    /// The record of an earlier process, or `nil` if there is none.
    var lastRecord: ShareRecord? { get }
    func write(_ record: ShareRecord)

    /// Removes the socket and the configuration, and closes an SSH connection.
    func close()
}

package enum ShareEnd: Equatable, Sendable {
    /// The share was stopped, or the session ended.
    case stopped
    /// The person pressed Ctrl-C.
    case interrupted
    case elapsed
    /// No request came for a while; systemd starts the share again at the next one.
    case idle
    /// The connection to the other machine was lost.
    case disconnected
}

package struct FoundShare: Equatable {
    package let name: ShareName
    package let record: ShareRecord?
    /// Whether a process shares it; otherwise systemd listens for it.
    package let isRunning: Bool
}
