package import CredentialCore
package import Helper
package import Providers

/// What only `doctor` asks about the machine, besides the usual dependencies.
///
/// Nothing is changed, and each question ends within seconds.
package struct Inspections {
    /// The Secret Service, which never shows a prompt here, and what is in memory beside it.
    package var keyring: any Keyring
    /// git's in-memory cache, which is used where there is no keyring.
    package var memory: any Keyring
    /// The Secret Service, a step at a time.
    package var inspection: any KeyringInspection
    /// Whether the environment names a session bus that has ended, and another one is used.
    package var isBusAddressStale: Bool
    /// Whether a password prompt could be seen.
    package var canPrompt: () -> Bool
    /// What `git version` prints; nil if there is no git.
    package var gitVersion: () -> [UInt8]?
    /// git's whole configuration in the current folder, including a repository's own; nil if it cannot be read.
    package var gitConfiguration: () -> [OriginatedEntry]?
    /// Finds a program by its name on the PATH, or checks it by its path.
    package var program: (String) -> String?
    /// What a program prints when it is asked for its version; nil if it does not run.
    package var programVersion: (String) -> [UInt8]?
    /// Where lock files go; nil if no place is safe.
    package var lockDirectory: () -> String?
    /// Transport to a provider, with shorter timeouts.
    package var transport: (TransportConfiguration) -> any Transport
    /// Where we run, if that is no machine with its own keyring.
    package var remote: RemoteEnvironment?
    /// Whether Ctrl-C was pressed.
    package var isInterrupted: () -> Bool
    /// Our own version.
    package var version: String
    /// Whether we are root.
    package var isRoot: Bool
    /// The version of Landlock's ABI; nil where the kernel has none.
    package var landlock: Int?

    package init(
        keyring: any Keyring, memory: any Keyring, inspection: any KeyringInspection, isBusAddressStale: Bool,
        canPrompt: @escaping () -> Bool, gitVersion: @escaping () -> [UInt8]?,
        gitConfiguration: @escaping () -> [OriginatedEntry]?, program: @escaping (String) -> String?,
        programVersion: @escaping (String) -> [UInt8]?, lockDirectory: @escaping () -> String?,
        transport: @escaping (TransportConfiguration) -> any Transport, remote: RemoteEnvironment?,
        isInterrupted: @escaping () -> Bool, version: String, isRoot: Bool, landlock: Int?
    ) {
        self.keyring = keyring
        self.memory = memory
        self.inspection = inspection
        self.isBusAddressStale = isBusAddressStale
        self.canPrompt = canPrompt
        self.gitVersion = gitVersion
        self.gitConfiguration = gitConfiguration
        self.program = program
        self.programVersion = programVersion
        self.lockDirectory = lockDirectory
        self.transport = transport
        self.remote = remote
        self.isInterrupted = isInterrupted
        self.version = version
        self.isRoot = isRoot
        self.landlock = landlock
    }
}

/// A place without access to the person's keyring.
package enum RemoteEnvironment: Equatable, Sendable {
    case container
    case ssh
}
