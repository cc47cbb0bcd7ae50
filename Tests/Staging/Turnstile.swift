import Synchronization

/// Lets in a few at a time: the tests wait more than they work, but a machine with two cores that starts all of their
/// sessions at once is busy with nothing else, and everything on it takes longer than a person would have to wait.
final class Turnstile: Sendable {
    /// The one that sessions pass through.
    static let shared = Turnstile(seats: 10)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// A turnstile before so many seats.
    init(seats: Int) { state = Mutex(State(free: seats)) }

    /// A seat, which is free again with the last reference to it.
    final class Seat: Sendable {
        private let turnstile: Turnstile

        fileprivate init(_ turnstile: Turnstile) { self.turnstile = turnstile }

        deinit { turnstile.leave() }
    }

    /// Waits for a free seat; first come, first served.
    func enter() async -> Seat {
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
        return Seat(self)
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
