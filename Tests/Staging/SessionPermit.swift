import Glibc
import Synchronization

/// Limits how many sessions run at once, in this process and on this machine.
///
/// Tests mostly wait, but a machine that starts all of their sessions at once is so busy that our programs exceed their
/// time limits.
final class SessionPermit: Sendable {
    private static let ofProcess = AsyncSemaphore(permits: 10)
    private static let ofMachine = 14
    private let permit: AsyncSemaphore.Permit
    /// A locked file; the kernel releases the lock when the process ends.
    private let place: Int32

    init() async throws {
        permit = await Self.ofProcess.wait()
        let places = try (0..<Self.ofMachine).shuffled().map(Self.open)
        place = try await Self.free(of: places)
        for other in places where other != place { close(other) }
    }

    /// Locks the first free file; waiting for one file alone could mean waiting for the longest test.
    private static func free(of places: [Int32]) async throws -> Int32 {
        while true {
            if let free = places.first(where: { flock($0, LOCK_EX | LOCK_NB) == 0 }) { return free }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    deinit { close(place) }

    private static func open(_ number: Int) throws -> Int32 {
        let folder = "/tmp/gitspace-test-sessions.\(getuid())"
        mkdir(folder, 0o700)
        let file = Glibc.open("\(folder)/\(number)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw NeverHappened(description: "no place in \(folder): error \(errno)") }
        return file
    }
}

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
