/// A line of the trace.
package enum TraceLine {
    /// A line: `23:40:01.000042 credential-gitspace: WORDS`.
    ///
    /// - Parameters:
    ///   - words: what is told, redacted here.
    ///   - time: the local time of day, as git's own traces begin with it.
    /// - Returns: the line with its end.
    package static func text(_ words: String, at time: String) -> String {
        "\(time) credential-gitspace: \(Redaction.redacted(words))\n"
    }
}
