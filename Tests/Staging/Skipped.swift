/// Says what is left out on this machine where no test is there to be marked as skipped.
///
/// A line of standard output, in the words of Swift Testing; test.sh repeats all such lines at its end, so that nothing
/// is left out in silence.
package enum Skipped {
    /// Names what is left out, and why.
    package static func note(_ what: String, because reason: String) {
        print("➜ Case \"\(what)\" skipped: \"\(reason)\"")
    }
}
