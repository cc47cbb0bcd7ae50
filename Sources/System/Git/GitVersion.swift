/// Which git it is.
package enum GitVersion {
    /// What `git version` prints; nil if there is no git on the PATH, or none that answers within five seconds.
    package static func read() -> [UInt8]? { ChildProcess.output(of: ["git", "version"], within: 5_000) }
}
