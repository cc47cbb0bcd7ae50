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
///   - patience: when to give up; generous, for a machine that has other things to do as well.
///   - look: finds it; nil means "not yet".
/// - Returns: what was found.
/// - Throws: `NeverHappened`.
@discardableResult
package func eventually<Result>(
    _ what: @autoclosure () -> String, within patience: Duration = .seconds(120), _ look: () throws -> Result?
) async throws -> Result {
    let end = ContinuousClock.now + patience
    while true {
        if let result = try look() { return result }
        guard ContinuousClock.now < end else { throw NeverHappened(description: "waited \(patience) for \(what())") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
