package import Helper

/// A verb for people: does its work, and tells what has come of it as facts.
///
/// Nothing is put into words here; Messages has them, for people and for programs.
package protocol Command {
    /// What there is to tell.
    associatedtype Report

    /// Does it.
    ///
    /// - Parameter tell: told each report as soon as it is known, until it ends.
    /// - Returns: how it ended.
    /// - Throws: what failed, which nobody has been told yet.
    func run(_ tell: @escaping (Report) -> Void) throws(UserFacingError) -> ExitStatus
}

/// How a verb ended; the raw value is the exit status.
package enum ExitStatus: Int32 {
    /// Done.
    case done = 0
    /// Failed, and said why.
    case failed = 1
    /// Ctrl-C.
    case cancelled = 130
}
