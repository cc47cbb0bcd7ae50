package import CredentialCore
internal import Helper
package import OAuth

/// What only `doctor` wants to know of the machine, beside the dependencies of everything else.
///
/// All of it is asked without changing anything, and each question ends after seconds.
package struct Inspections {
    /// The Secret Service itself, which never puts up a prompt here.
    package var keyring: any Keyring
    /// The same, a step at a time.
    package var inspection: any KeyringInspection
    /// Whether a password prompt could be seen.
    package var canPrompt: () -> Bool
    /// What `git version` prints; nil if there is no git.
    package var gitVersion: () -> [UInt8]?
    /// git's whole configuration in the folder that we are in, repositories' own included; nil if git does not tell.
    package var gitConfiguration: () -> [OriginatedEntry]?
    /// Finds a program by its name on the PATH, or makes sure of it by its path.
    package var program: (String) -> String?
    /// What a program prints when it is asked for its version; nil if it does not run.
    package var programVersion: (String) -> [UInt8]?
    /// Where lock files go; nil if no place is safe.
    package var lockDirectory: () -> String?
    /// The way to a provider, with less patience than usual.
    package var transport: (TransportConfiguration) -> any Transport
    /// Whether another machine offers to share its sign-in with this one.
    package var isSharedWith: () -> Bool
    /// Where we are, if that is no machine with a keyring of its own.
    package var remote: RemoteEnvironment?
    /// Whether Ctrl-C was pressed.
    package var isInterrupted: () -> Bool
    /// Our own version.
    package var version: String
    /// Whether we are root.
    package var isRoot: Bool

    package init(
        keyring: any Keyring, inspection: any KeyringInspection, canPrompt: @escaping () -> Bool,
        gitVersion: @escaping () -> [UInt8]?,
        gitConfiguration: @escaping () -> [OriginatedEntry]?, program: @escaping (String) -> String?,
        programVersion: @escaping (String) -> [UInt8]?, lockDirectory: @escaping () -> String?,
        transport: @escaping (TransportConfiguration) -> any Transport, isSharedWith: @escaping () -> Bool,
        remote: RemoteEnvironment?, isInterrupted: @escaping () -> Bool,
        version: String, isRoot: Bool
    ) {
        self.keyring = keyring
        self.inspection = inspection
        self.canPrompt = canPrompt
        self.gitVersion = gitVersion
        self.gitConfiguration = gitConfiguration
        self.program = program
        self.programVersion = programVersion
        self.lockDirectory = lockDirectory
        self.transport = transport
        self.isSharedWith = isSharedWith
        self.remote = remote
        self.isInterrupted = isInterrupted
        self.version = version
        self.isRoot = isRoot
    }
}
