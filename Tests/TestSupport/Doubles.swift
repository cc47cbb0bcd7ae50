package import CredentialCore
package import Helper
package import Messages
package import Providers

/// Everything outside the operations, in its harmless form: an empty keyring, no network, a patient person, free locks.
///
/// A test changes what its rule is about, lets the helper run with them, and looks at what has become of the doubles.
package final class Doubles {
    /// What happened, in its order.
    package let journal: Journal
    /// The keyring, empty and open.
    package let keyring: InMemoryKeyring
    /// The way to a provider; every request must be in its script.
    package let transport: ScriptedTransport
    /// A real way to servers, in place of the script; none.
    package var network: ((TransportConfiguration) -> any Transport)?
    /// The person at the terminal.
    package let ui: ScriptedUI
    /// Where a browser comes back to.
    package let redirect: ScriptedRedirect
    /// The time.
    package let clock: RecordingClock
    /// Locks across processes.
    package let locks: ScriptedLocks
    /// What processes tell each other about sign-ins; nothing.
    package let signInNotes: InMemorySignInNotes
    /// What servers have refused; nothing.
    package let refusedTokens: InMemoryRefusedTokens
    /// What people were told about failures.
    package private(set) var errors: [UserFacingError] = []
    /// The environment; empty.
    package var environment: [String: String] = [:]
    /// git's configuration; empty.
    package var configuration: [ConfigurationEntry] = []
    /// Why git's configuration cannot be read.
    package var configurationFault: ConfigurationError?
    /// How often git's configuration was read.
    package private(set) var configurationReads = 0
    /// The client ID built in for every host of GitHub's.
    package var builtInClientID: String? = "Iv1.0123456789abcdef"
    /// The client ID built in for gitlab.com; none.
    package var builtInGitLabClientID: String?
    /// Why the private key cannot be used.
    package var keyFault: SigningKeyError?
    /// Who sends the request: git's transport.
    package var requester = Requester.git
    /// Whether a scheduled job of git's asks.
    package var isMaintenance = false
    /// For which git asks.
    package var askingRepository = AskingRepository()

    /// Doubles that share one journal and one clock.
    ///
    /// - Parameter storage: what stands in for the keyring.
    package init(storage: CredentialStorage = .keyring) {
        journal = Journal()
        clock = RecordingClock()
        keyring = InMemoryKeyring(storage: storage, journal: journal)
        transport = ScriptedTransport(journal: journal)
        ui = ScriptedUI(clock: clock, journal: journal)
        redirect = ScriptedRedirect(ui: ui, journal: journal)
        locks = ScriptedLocks(journal: journal)
        signInNotes = InMemorySignInNotes(journal: journal)
        refusedTokens = InMemoryRefusedTokens(clock: clock)
    }

    /// Adds a setting of git's configuration.
    package func configure(_ section: String, _ url: String? = nil, _ key: String, _ value: String) {
        configuration.append(
            ConfigurationEntry(section: section, subsection: url, key: key.lowercased(), value: value))
    }

    fileprivate func readConfiguration() throws(ConfigurationError) -> [ConfigurationEntry] {
        configurationReads += 1
        if let configurationFault { throw configurationFault }
        return configuration
    }

    fileprivate func signingKey(_ name: String) throws(SigningKeyError) -> any AssertionSigner {
        journal.note("key \(name)")
        if let keyFault { throw keyFault }
        // What an app needs.
        return ScriptedSignatures(algorithm: .rs256)
    }

    fileprivate func report(_ error: UserFacingError) { errors.append(error) }
}

extension Dependencies {
    /// Dependencies made of doubles.
    package static func forTests(_ doubles: Doubles) -> Dependencies {
        Dependencies(
            keyring: doubles.keyring, configuration: doubles.readConfiguration,
            environment: { doubles.environment[$0] }, transport: { doubles.network?($0) ?? doubles.transport },
            ui: doubles.ui,
            redirect: { address throws(SignInError) in
                doubles.redirect.address = address
                if let failure = doubles.redirect.failure { throw failure }
                return doubles.redirect
            },
            report: doubles.report, locks: doubles.locks, signInNotes: doubles.signInNotes,
            refusedTokens: doubles.refusedTokens, clock: doubles.clock,
            signals: RecordingSignalShield(journal: doubles.journal),
            builtInClientID: {
                switch $0.providerID {
                case .gitlab: doubles.builtInGitLabClientID
                case .gitea, .bitbucket, .git: nil
                case .github, .oidc: doubles.builtInClientID
                }
            },
            requester: { doubles.requester }, isMaintenance: { doubles.isMaintenance },
            askingRepository: { doubles.askingRepository },
            signingKey: doubles.signingKey,
            signatureVerifier: ScriptedSignatures())
    }
}
