internal import Helper
package import Messages

/// A verb for people: does its work, and reports the result as facts.
///
/// The texts are in Messages, for people and for programs.
package protocol Command {
    /// What it reports.
    associatedtype Report

    /// Does the work.
    ///
    /// - Parameter tell: gets each report as soon as it is known, until it ends.
    /// - Returns: how it ended.
    /// - Throws: what failed, which was not reported yet.
    func run(_ tell: @escaping (Report) -> Void) throws(UserFacingError) -> ExitStatus
}
