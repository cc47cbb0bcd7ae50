package import CredentialCore

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
