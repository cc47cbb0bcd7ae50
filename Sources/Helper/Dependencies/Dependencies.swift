package import CredentialCore
package import Messages
package import Providers

/// Everything outside that the operations use.
///
/// The composition root creates it and passes it in.
///
/// What is expensive is a closure, which is called at most once per run, when it is first needed.
package struct Dependencies {
    /// The keyring or its substitute, according to the settings for the host.
    package var keyring: any Keyring
    /// git's configuration, in its order: one call of `git config`.
    ///
    /// If it cannot be read, nothing is sent and nobody is asked.
    package var configuration: () throws(ConfigurationError) -> [ConfigurationEntry]
    /// Returns the value of an environment variable.
    package var environment: (String) -> String?
    /// Creates what sends requests to a provider.
    package var transport: (TransportConfiguration) -> any Transport
    /// Shows a sign-in to a person, and takes their answers.
    package var ui: any SignInUI
    /// Tells a person what failed.
    package var report: (UserFacingError) -> Void
    /// Locks across processes.
    package var locks: any Locks
    /// What processes tell each other about sign-ins.
    package var signInNotes: any SignInNotes
    /// The tokens that servers have rejected.
    package var refusedTokens: any RefusedTokens
    /// The clocks.
    package var clock: any Clock
    /// Holds signals back.
    package var signals: any SignalShield
    /// Returns the client ID that was built in for a host, if any.
    package var builtInClientID: (SignInHost) -> String?
    /// Reads the private key with which this machine signs: a path, or the name of a systemd credential.
    package var signingKey: (String) throws(SigningKeyError) -> any AssertionSigner
    /// Checks what servers have signed.
    package var signatureVerifier: any SignatureVerifier
    /// Whether a person typed the `git credential` command that sent the request.
    package var isPersonsOwnCommand: () -> Bool
    /// Whether `git clone` sent the request.
    package var isClone: () -> Bool
    /// Logs what is found and decided to the trace; the text is made only if there is a trace.
    package var trace: (() -> String) -> Void

    /// Nothing is stored for a host, or nobody can tell because there is no keyring.
    package func notSignedIn(to host: DisplayText) -> UserFacingError {
        keyring.absence.map { .keyringAbsent($0, host: host) } ?? .notSignedIn(host: host)
    }

    package init(
        keyring: any Keyring, configuration: @escaping () throws(ConfigurationError) -> [ConfigurationEntry],
        environment: @escaping (String) -> String?,
        transport: @escaping (TransportConfiguration) -> any Transport, ui: any SignInUI,
        report: @escaping (UserFacingError) -> Void, locks: any Locks,
        signInNotes: any SignInNotes, refusedTokens: any RefusedTokens, clock: any Clock, signals: any SignalShield,
        builtInClientID: @escaping (SignInHost) -> String?, isPersonsOwnCommand: @escaping () -> Bool,
        isClone: @escaping () -> Bool = { false },
        signingKey: @escaping (String) throws(SigningKeyError) -> any AssertionSigner,
        signatureVerifier: any SignatureVerifier,
        trace: @escaping (() -> String) -> Void = { _ in }
    ) {
        self.keyring = keyring
        self.configuration = configuration
        self.environment = environment
        self.transport = transport
        self.ui = ui
        self.report = report
        self.locks = locks
        self.signInNotes = signInNotes
        self.refusedTokens = refusedTokens
        self.clock = clock
        self.signals = signals
        self.builtInClientID = builtInClientID
        self.isPersonsOwnCommand = isPersonsOwnCommand
        self.isClone = isClone
        self.signingKey = signingKey
        self.signatureVerifier = signatureVerifier
        self.trace = trace
    }
}

/// The clocks of the machine.
package protocol Clock {
    /// Seconds since 1970, for expiry times that a server or git will compare.
    var now: Int64 { get }
    /// Milliseconds since the machine started, including suspend (`CLOCK_BOOTTIME`), for waiting.
    var uptimeMilliseconds: Int64 { get }
}

/// Holds signals back during something that must not be interrupted.
package protocol SignalShield {
    /// Runs `body` while SIGINT, SIGTERM, SIGHUP and similar signals are held back; they take effect afterwards.
    func whileSignalsWait<Result>(_ body: () -> Result) -> Result
}
