package import CredentialCore
package import Helper
package import Providers

/// Test doubles of everything outside the operations: an empty keyring, no network, a patient person, free locks.
///
/// A test changes the doubles that its rule is about, runs the helper with them, and checks their state.
package final class Doubles {
    package let journal: Journal
    package let keyring: InMemoryKeyring
    package let transport: ScriptedTransport
    /// A real transport in place of the script, or `nil`.
    package var network: ((TransportConfiguration) -> any Transport)?
    package let ui: ScriptedUI
    package let redirect: ScriptedRedirect
    package let clock: RecordingClock
    package let locks: ScriptedLocks
    package let signInNotes: InMemorySignInNotes
    package let refusedTokens: InMemoryRefusedTokens
    package private(set) var errors: [UserFacingError] = []
    package var environment: [String: String] = [:]
    package var configuration: [ConfigurationEntry] = []
    package var configurationFault: ConfigurationError?
    package private(set) var configurationReads = 0
    package var builtInClientID: String? = "Iv1.0123456789abcdef"
    package var builtInGitLabClientID: String?
    package var keyFault: SigningKeyError?
    package var requester = Requester.git
    /// Whether a scheduled job of git's sends the request.
    package var isMaintenance = false
    package var askingRepository = AskingRepository()
    package var isInContainer = false

    /// Creates doubles that share one journal and one clock.
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

    package func configure(_ section: String, _ url: String? = nil, _ key: String, _ value: String) {
        configuration.append(ConfigurationEntry(section: section, subsection: url, key: key.lowercased(), value: value))
    }

    package func configure(_ section: String, _ url: String?, _ settings: KeyValuePairs<String, String>) {
        for (key, value) in settings { configure(section, url, key, value) }
    }

    fileprivate func readConfiguration() throws(ConfigurationError) -> [ConfigurationEntry] {
        configurationReads += 1
        if let configurationFault { throw configurationFault }
        return configuration
    }

    fileprivate func signingKey(_ name: String) throws(SigningKeyError) -> any AssertionSigner {
        journal.note("key \(name)")
        if let keyFault { throw keyFault }
        // An app needs this algorithm.
        return ScriptedSignatures(algorithm: .rs256)
    }

    fileprivate func report(_ error: UserFacingError) { errors.append(error) }
}

extension Dependencies {
    package static func forTests(_ doubles: Doubles) -> Dependencies {
        Dependencies(
            keyring: doubles.keyring, configuration: doubles.readConfiguration,
            environment: { doubles.environment[$0] }, transport: { doubles.network?($0) ?? doubles.transport },
            ui: doubles.ui,
            redirect: { address throws(SignInError) in
                doubles.redirect.address = address
                if let failure = doubles.redirect.failure { throw failure }
                return doubles.redirect
            }, report: doubles.report, locks: doubles.locks, signInNotes: doubles.signInNotes,
            refusedTokens: doubles.refusedTokens, clock: doubles.clock, signals: doubles.journal,
            builtInClientID: {
                switch $0.providerID {
                case .gitlab: doubles.builtInGitLabClientID
                case .gitea, .bitbucket, .git: nil
                case .github, .oidc: doubles.builtInClientID
                }
            }, requester: { doubles.requester }, isMaintenance: { doubles.isMaintenance },
            askingRepository: { doubles.askingRepository }, isInContainer: { doubles.isInContainer },
            signingKey: doubles.signingKey, signatureVerifier: ScriptedSignatures())
    }
}

/// The events outside the helper in their order, from all doubles, and where signals are deferred and take effect.
package final class Journal: SignalShield {
    /// One entry for each event, such as `keyring save` or `POST https://github.com/login/oauth/access_token`.
    package private(set) var entries: [String] = []
    package init() {}
    package func note(_ entry: String) { entries.append(entry) }
    package func count(of entry: String) -> Int { entries.filter { $0 == entry }.count }

    package func whileSignalsWait<Result>(_ body: () -> Result) -> Result {
        note("signals wait")
        defer { note("signals pass") }
        return body()
    }
}

/// A clock that only waits advance.
package final class RecordingClock: Clock {
    /// Seconds since 1970 at the start of every test: 2023-11-14, 22:13:20 UTC.
    package static let start: Int64 = 1_700_000_000
    /// Milliseconds since the machine started.
    package private(set) var uptimeMilliseconds: Int64 = 5_000_000
    private var elapsedMilliseconds: Int64 = 0
    package init() {}
    package var now: Int64 { Self.start + elapsedMilliseconds / 1_000 }

    package func advance(milliseconds: Int64) {
        uptimeMilliseconds += milliseconds
        elapsedMilliseconds += milliseconds
    }
}

/// Refused tokens that never expire.
package final class InMemoryRefusedTokens: RefusedTokens {
    package private(set) var remembered: [(token: Secret, account: LockName)] = []
    private let clock: RecordingClock
    package init(clock: RecordingClock) { self.clock = clock }

    package func refusal(of token: Secret, for account: LockName) -> Int64? {
        remembered.contains { $0.token == token && $0.account == account } ? clock.now : nil
    }

    package func remember(_ token: Secret, for account: LockName) { remembered.append((token, account)) }
}

/// Signatures without cryptography: a signature is valid if each of its bytes is 1.
package struct ScriptedSignatures: SignatureVerifier, AssertionSigner {
    package let algorithm: SignatureAlgorithm
    package init(algorithm: SignatureAlgorithm = .es256) { self.algorithm = algorithm }

    package func verifies(
        _ signature: [UInt8], of message: [UInt8], with key: JSONWebKey.Numbers, by algorithm: SignatureAlgorithm
    ) -> Bool? { signature.allSatisfy { $0 == 1 } }

    package func digest(of secret: Secret, by hash: SignatureAlgorithm.Hash) -> [UInt8]? { nil }
    package func sign(_ message: [UInt8]) -> [UInt8]? { Array(repeating: 1, count: 64) }
}
