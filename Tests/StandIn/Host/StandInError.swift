import Glibc

/// A failure of the test environment, such as a missing program; tests do not recover from it.
package struct StandInError: Error, CustomStringConvertible {
    package let description: String

    /// An error with the name of the step that failed.
    init(_ message: String) { description = message }

    /// An error with the name of the step that failed, and the system's error number.
    init(_ message: String, code: Int32) { description = "\(message): \(String(cString: strerror(code)))" }
}
