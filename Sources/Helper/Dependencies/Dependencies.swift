package import CredentialCore
package import OAuth

/// Everything outside the operations: made in one place, the composition root, and handed in.
///
/// What is expensive is a closure, and is called at most once per run, when it is first needed.
package struct Dependencies {
    /// The keyring, or what takes its place; made from the settings that apply to the host.
    package var keyring: any Keyring
    /// git's configuration, in its order: one call of `git config`.
    ///
    /// Where it cannot be read, nothing is sent and nobody is asked.
    package var configuration: () throws(ConfigurationError) -> [ConfigurationEntry]
    /// A variable of the environment.
    package var environment: (String) -> String?
    /// The way to a provider.
    package var transport: (TransportConfiguration) -> any Transport
    /// What a person sees and answers while a sign-in runs.
    package var ui: any SignInUI
    /// Tells a person what failed.
    package var report: (UserFacingError) -> Void
    /// Locks across processes.
    package var locks: any Locks
    /// What servers have refused.
    package var refusedTokens: any RefusedTokens
    /// The time.
    package var clock: any Clock
    /// Keeps signals waiting.
    package var signals: any SignalShield
    /// The client ID that was built in for a host, if any.
    package var builtInClientID: (SignInHost) -> String?
    /// Whether the request came from `git credential`, typed by a person.
    package var isPersonsOwnCommand: () -> Bool
    /// Takes what is found and decided, for those who want to see inside; the words are made only if somebody does.
    package var trace: (() -> String) -> Void

    package init(
        keyring: any Keyring, configuration: @escaping () throws(ConfigurationError) -> [ConfigurationEntry],
        environment: @escaping (String) -> String?,
        transport: @escaping (TransportConfiguration) -> any Transport, ui: any SignInUI,
        report: @escaping (UserFacingError) -> Void, locks: any Locks,
        refusedTokens: any RefusedTokens, clock: any Clock, signals: any SignalShield,
        builtInClientID: @escaping (SignInHost) -> String?, isPersonsOwnCommand: @escaping () -> Bool,
        trace: @escaping (() -> String) -> Void = { _ in }
    ) {
        self.keyring = keyring
        self.configuration = configuration
        self.environment = environment
        self.transport = transport
        self.ui = ui
        self.report = report
        self.locks = locks
        self.refusedTokens = refusedTokens
        self.clock = clock
        self.signals = signals
        self.builtInClientID = builtInClientID
        self.isPersonsOwnCommand = isPersonsOwnCommand
        self.trace = trace
    }
}
