internal import CCoroutine

/// A body with its own stack, which runs until it suspends.
///
/// There is only one thread: the caller of `resume` continues when the coroutine suspends or ends. A coroutine can be
/// reused.
final class Coroutine {
    private static let stackBytes = 256 * 1_024
    private let contexts = UnsafeMutablePointer<gitspace_coroutine>.allocate(capacity: 1)
    private let stack = UnsafeMutableRawPointer.allocate(byteCount: stackBytes, alignment: 16)
    private var body: (() -> Void)?

    init() {
        contexts.initialize(to: gitspace_coroutine())
        gitspace_coroutine_make(
            contexts, stack, Self.stackBytes,
            { argument in
                guard let argument else { return }
                Unmanaged<Coroutine>.fromOpaque(argument).takeUnretainedValue().runForEver()
            }, Unmanaged.passRetained(self).toOpaque())
    }

    private func runForEver() {
        while true {
            body?()
            body = nil
            suspend()
        }
    }

    var hasEnded: Bool { body == nil }
    func begin(_ body: @escaping () -> Void) { self.body = body }
    func resume() { gitspace_coroutine_resume(contexts) }

    /// Suspends the coroutine; must be called inside of it.
    func suspend() { gitspace_coroutine_suspend(contexts) }
}
