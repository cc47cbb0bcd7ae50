internal import CCoroutine

/// A body with a stack of its own, which runs until it hands over.
///
/// There is one thread: whoever resumes a coroutine goes on when that hands over or ends. It can be used again.
final class Coroutine {
    private static let stackBytes = 256 * 1_024

    private let contexts = UnsafeMutablePointer<gitspace_coroutine>.allocate(capacity: 1)
    private let stack = UnsafeMutableRawPointer.allocate(byteCount: stackBytes, alignment: 16)
    private var body: (() -> Void)?

    /// It lives as long as the program.
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

    /// Called inside.
    func suspend() { gitspace_coroutine_suspend(contexts) }
}
