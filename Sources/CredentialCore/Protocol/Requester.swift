/// Who sends a request, as far as the processes above this one tell.
///
/// A process may have any name, so this decides only how much of a sign-in a rejection removes.
package enum Requester: Sendable {
    /// A shell, in a terminal or running a script, started `git credential` or the helper.
    case person
    /// git's own transport, or Git LFS: a server has rejected what they reject.
    case git
    /// Any other program, or nobody knows.
    case program
}
