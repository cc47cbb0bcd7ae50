import Foundation
import Glibc

/// A condition that a test waited for in vain.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
}

/// Polls until a value is there, and returns it; `look` returns `nil` for "not yet".
///
/// Throws `NeverHappened` if the program that produces the value has ended, or the time is up: a generous one, since the
/// machine may be busy.
@discardableResult
package func eventually<Result>(
    _ what: @autoclosure () -> String, by program: RunningProgram? = nil, within patience: Duration = .seconds(120),
    _ look: () throws -> Result?
) async throws -> Result {
    let end = ContinuousClock.now + patience
    while true {
        // Check for the end first: the program may produce the value just before it ends.
        let hasEnded = program?.isRunning == false
        if let result = try look() { return result }
        guard !hasEnded else { throw NeverHappened(description: "the program ended before \(what())") }
        guard ContinuousClock.now < end else { throw NeverHappened(description: "waited \(patience) for \(what())") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Polls until a condition holds; see the function above.
package func eventually(
    _ what: @autoclosure () -> String, by program: RunningProgram? = nil, _ holds: () throws -> Bool
) async throws { try await eventually(what(), by: program) { try holds() ? () : nil } }

extension StandIn {
    package func waitForRequests(_ count: Int, to endpoint: Endpoint) async throws {
        try await eventually("\(count) requests to \(endpoint)") { self.count(of: endpoint) >= count }
    }
}

extension String {
    /// Replaces a file by this text.
    ///
    /// No program that starts meanwhile inherits the open file: a script that another process could write does not run
    /// (execve(2), ETXTBSY), and Foundation's own functions leave it open.
    package func write(to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
        try FileHandle(fileDescriptor: file, closeOnDealloc: true).write(contentsOf: Data(utf8))
    }
}

/// Reports what was left out on this machine when no single test can be marked as skipped.
///
/// The line has the words of Swift Testing; test.sh repeats all such lines at its end, so that nothing is left out
/// silently.
package enum Skipped {
    package static func note(_ what: String, because reason: String) {
        print("➜ Case \"\(what)\" skipped: \"\(reason)\"")
    }
}
