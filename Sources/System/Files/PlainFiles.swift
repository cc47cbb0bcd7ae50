package import CredentialCore

/// Files in which other tools store credentials.
///
/// One that somebody else could have written is not read: it would be their account that is signed in.
package struct PlainFiles {
    /// The maximum size: enough for thousands of lines.
    private static let most = 1 << 20

    /// The files of the user of this process.
    package init() {}

    package func contents(of path: String) -> FileContents {
        do throws(FileReader.Failure) {
            let file = try FileReader.open(path)
            guard let status = FileStatus(of: file), status.isOwn || status.owner == 0, status.permissions & 0o022 == 0
            else { return .unreadable }
            var bytes = try FileReader.contents(of: file, atMost: Self.most)
            defer { bytes.wipe() }
            return .contents(Secret(bytes))
        } catch {
            return error == .absent ? .absent : .unreadable
        }
    }
}
