package import CredentialCore
internal import Glibc

/// The file of rejected tokens that could not be removed from a keyring, next to the locks.
///
/// Each line has the account, a digest of the token, and the time of the rejection. The file is replaced by rename(2),
/// under a lock of its own; reading needs no lock.
package struct RefusedTokensFile: RefusedTokens {
    private static let name = "/refused"
    /// A day in seconds, longer than any caller keeps asking.
    private static let longest: Int64 = 86_400
    /// The stored token, and the one to which it was refreshed.
    private static let mostOfOneAccount = 2
    private static let most = 64
    /// Milliseconds to wait for another writer; writing takes less than one.
    private static let patience: Int64 = 1_000

    private let locks: FileLocks
    private let existing: () -> LockDirectory?

    /// `existing` returns the locks' directory if the file exists; readers do not create it.
    package init(
        besideLocksOf locks: FileLocks,
        existing: @escaping () -> LockDirectory? = { Self.exists ? LockDirectory() : nil }
    ) {
        self.locks = locks
        self.existing = existing
    }

    /// Costs one system call.
    package static var exists: Bool { LockDirectory.expected.map { access($0 + name, F_OK) == 0 } ?? false }

    package func refusal(of token: Secret, for account: LockName) -> Int64? {
        guard let directory = existing() else { return nil }
        let known = Self.read(directory).filter { $0.account == account.text }
        guard !known.isEmpty else { return nil }
        if let refusal = known.last(where: { $0.token == Self.digest(token) }) { return refusal.time }
        // Another token is stored now, so the rejected one is no longer relevant.
        change(directory) { $0.removeAll { $0.account == account.text } }
        return nil
    }

    package func remember(_ token: Secret, for account: LockName) {
        guard let directory = locks.directory() else { return }
        let refusal: Refusal = (account.text, Self.digest(token), SystemClock().now)
        change(directory) { refusals in
            refusals.removeAll { $0.account == refusal.account && $0.token == refusal.token }
            let others = refusals.filter { $0.account != refusal.account }
            refusals = others + refusals.filter { $0.account == refusal.account }.suffix(Self.mostOfOneAccount - 1)
            refusals.append(refusal)
        }
    }

    private typealias Refusal = (account: String, token: String, time: Int64)

    private static func digest(_ token: Secret) -> String {
        String(decoding: StoredCredential.digest(of: token), as: UTF8.self)
    }

    /// Leaves out expired and malformed entries.
    private static func read(_ directory: LockDirectory) -> [Refusal] {
        let now = SystemClock().now
        return words(ofLinesIn: directory.path + name, atMost: 65_536).compactMap { words in
            // A future time was noted before the clock was set back; the token is rejected all the same.
            guard words.count == 3, let time = DecimalNumber.parse(Array(words[2].utf8)), abs(now - time) < longest
            else { return nil }
            return (words[0], words[1], time)
        }
    }

    /// Ignores failures, since the keyring has failed before.
    private func change(_ directory: LockDirectory, _ edit: (inout [Refusal]) -> Void) {
        guard let lock = try? locks.acquire(.refusedTokens, within: Self.patience, whileWaiting: { true }) else {
            return
        }
        defer { lock.release() }
        var refusals = Self.read(directory)
        edit(&refusals)
        let path = directory.path + Self.name
        guard !refusals.isEmpty else {
            unlink(path)
            return
        }
        let lines = refusals.suffix(Self.most).map { "\($0.account) \($0.token) \($0.time)\n" }.joined()
        FileReplacement.replace(path, with: lines)
    }
}
