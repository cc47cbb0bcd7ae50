internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import System
internal import Verbs

/// A keyring that traces each request, its answer, and how long it took.
///
/// Writes nothing before the answer is there: a save must not wait for the reader of the trace.
final class TracedKeyring: KeyringDecorator {
    let decorated: any Keyring
    private let trace: Trace

    init(_ keyring: any Keyring, _ trace: Trace) {
        decorated = keyring
        self.trace = trace
    }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try timed("search") { () throws(KeyringError) in
            let items = try decorated.items(having: attributes)
            return (items, "\(items.count) items, \(items.count(where: \.isLocked)) locked")
        }
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try timed("unlock") { () throws(KeyringError) in (try decorated.unlock(items), "unlocked") }
    }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        try timed("is it writable?") { () throws(KeyringError) in
            (try decorated.checkWritable(mayPrompt: mayPrompt), "yes")
        }
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try timed("replace") { () throws(KeyringError) in
            let isReplaced = try decorated.replace(item, with: secret)
            return (isReplaced, isReplaced ? "replaced" : "changed since it was read")
        }
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try timed("save") { () throws(KeyringError) in (try decorated.save(secret, under: attributes), "saved") }
    }

    func remove(_ item: Item) throws(KeyringError) {
        try timed("remove") { () throws(KeyringError) in (try decorated.remove(item), "removed") }
    }

    private func timed<Result>(
        _ what: String, _ body: () throws(KeyringError) -> (Result, String)
    ) throws(KeyringError) -> Result {
        let stopwatch = Stopwatch()
        do throws(KeyringError) {
            let (result, outline) = try body()
            trace { "keyring: \(what): \(outline), \(stopwatch.text)" }
            return result
        } catch {
            trace { "keyring: \(what): \(error), \(stopwatch.text)" }
            throw error
        }
    }
}

extension Trace.Refusal {
    /// Why there is no trace; the command runs without it.
    var error: UserFacingError {
        switch self {
        case .notOwnFile(let path):
            UserFacingError(
                .configuration,
                Message("not tracing to %1$s: it is not a regular file that you own", DisplayText(trusted: path)))
        case .unwritable(let path):
            UserFacingError(
                .configuration, Message("not tracing to %1$s: it cannot be opened", DisplayText(trusted: path)))
        case .answer:
            UserFacingError(
                .configuration, Message("not tracing to the file descriptor from which git reads the answer"))
        }
    }
}
