/// The remote of the repository that we stand in.
package enum CurrentRemote {
    private static let patience: Int64 = 5_000

    /// Its address, as git would use it: that of the branch's upstream, else of `origin`, with `insteadOf` applied.
    ///
    /// Nothing is asked of any server.
    ///
    /// - Returns: nil where there is no repository, or none with a remote.
    package static var address: String? {
        let line = ChildProcess.output(of: ["git", "ls-remote", "--get-url"], within: patience)
        return line.flatMap { String(validating: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
    }
}
