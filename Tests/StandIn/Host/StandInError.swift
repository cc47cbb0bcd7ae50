import Glibc

/// What kept the stand-in from doing what a test asked of it: a test's environment is broken, nothing to recover from.
package struct StandInError: Error, CustomStringConvertible {
    package let description: String

    /// Makes an error from a phrase that says what was tried.
    init(_ message: String) { description = message }

    /// Makes an error from a phrase that says what was tried and the system's error number.
    init(_ message: String, code: Int32) {
        description = "\(message): \(String(cString: strerror(code)))"
    }
}
