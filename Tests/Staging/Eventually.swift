/// What a test waited for and did not get.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String

    /// What was waited for, or why there is no use in waiting.
    package init(description: String) { self.description = description }
}

/// Waits until something is there.
///
/// - Parameters:
///   - what: what is waited for, for the failure's text.
///   - program: what brings it about; once it has ended, it can no longer come.
///   - patience: when to give up; generous, for a machine that has other things to do as well.
///   - look: finds it; nil means "not yet".
/// - Returns: what was found.
/// - Throws: `NeverHappened`.
@discardableResult
package func eventually<Result>(
    _ what: @autoclosure () -> String, by program: RunningProgram? = nil, within patience: Duration = .seconds(120),
    _ look: () throws -> Result?
) async throws -> Result {
    let end = ContinuousClock.now + patience
    while true {
        // Asked first, lest it be missed that its last words were what was waited for.
        let hasEnded = program?.isRunning == false
        if let result = try look() { return result }
        guard !hasEnded else { throw NeverHappened(description: "the program ended before \(what())") }
        guard ContinuousClock.now < end else { throw NeverHappened(description: "waited \(patience) for \(what())") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
