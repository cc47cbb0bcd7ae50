/// Reports what was left out on this machine when no single test can be marked as skipped.
///
/// The line has the words of Swift Testing; test.sh repeats all such lines at its end, so that nothing is left out
/// silently.
package enum Skipped {
    /// Prints what is left out, and why.
    package static func note(_ what: String, because reason: String) {
        print("➜ Case \"\(what)\" skipped: \"\(reason)\"")
    }
}
