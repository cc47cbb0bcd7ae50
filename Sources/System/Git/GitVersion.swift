/// The version of git.
package enum GitVersion {
    /// The output of `git version`; nil if there is no git on the PATH, or if it does not answer within five seconds.
    package static func read() -> [UInt8]? { ChildProcess.output(of: ["git", "version"], within: 5_000) }
}
