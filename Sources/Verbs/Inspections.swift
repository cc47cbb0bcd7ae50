package import CredentialCore
package import Helper
package import Providers

/// The inspections of the machine that only `doctor` needs, which change nothing, and each end within seconds.
package struct Inspections {
    /// The Secret Service, which never shows a prompt here, and the items in memory beside it.
    package var keyring: any Keyring
    /// git's in-memory cache, which is used without a keyring.
    package var memory: any Keyring
    package var inspection: any KeyringInspection
    /// Whether the environment names a session bus that has ended, and another one is used.
    package var isBusAddressStale: Bool
    package var canPrompt: () -> Bool
    /// The output of `git version`, or `nil` without git.
    package var gitVersion: () -> [UInt8]?
    /// git's configuration in the current folder, including a repository's own; `nil` if it cannot be read.
    package var gitConfiguration: () -> [OriginatedEntry]?
    /// Finds a program by its name on the PATH, or by its path.
    package var program: (String) -> String?
    /// `nil` if the program does not run.
    package var programVersion: (String) -> [UInt8]?
    /// `nil` if no place is safe.
    package var lockDirectory: () -> String?
    /// Creates a transport with shorter timeouts.
    package var transport: (TransportConfiguration) -> any Transport
    /// `nil` for a machine with its own keyring.
    package var remote: RemoteEnvironment?
    package var version: String
    package var isRoot: Bool
    /// `nil` if the kernel has no Landlock.
    package var landlock: Int?

    package init(
        keyring: any Keyring, memory: any Keyring, inspection: any KeyringInspection, isBusAddressStale: Bool,
        canPrompt: @escaping () -> Bool, gitVersion: @escaping () -> [UInt8]?,
        gitConfiguration: @escaping () -> [OriginatedEntry]?, program: @escaping (String) -> String?,
        programVersion: @escaping (String) -> [UInt8]?, lockDirectory: @escaping () -> String?,
        transport: @escaping (TransportConfiguration) -> any Transport, remote: RemoteEnvironment?,
        version: String, isRoot: Bool, landlock: Int?
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
        self.version = version
        self.isRoot = isRoot
        self.landlock = landlock
    }
}

package enum RemoteEnvironment: Equatable, Sendable {
    case container
    case ssh
}
