import Synchronization

/// A counting semaphore that suspends a task instead of blocking its thread.
final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(permits: Int) { state = Mutex(State(free: permits)) }

    /// One permit, returned when its last reference is released.
    final class Permit: Sendable {
        private let semaphore: AsyncSemaphore

        fileprivate init(_ semaphore: AsyncSemaphore) { self.semaphore = semaphore }

        deinit { semaphore.signal() }
    }

    /// Waits for a permit, first come, first served.
    func wait() async -> Permit {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        return Permit(self)
    }

    private func signal() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
