/// The remote of the current repository.
package enum CurrentRemote {
    private static let patience: Int64 = 5_000

    /// The URL of the remote as git would use it: the one of the branch's upstream, else `origin`, with `insteadOf`
    /// applied.
    ///
    /// No server is contacted.
    ///
    /// - Returns: nil if there is no repository, or no remote.
    package static var address: String? {
        let line = ChildProcess.output(of: ["git", "ls-remote", "--get-url"], within: patience)
        return line.flatMap { String(validating: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
    }
}
