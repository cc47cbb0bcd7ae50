package import CredentialCore

/// Files in which other tools store credentials.
package struct PlainFiles {
    /// The maximum size: enough for thousands of lines.
    private static let most = 1 << 20

    /// The files of the user of this process.
    package init() {}

    package func contents(of path: String) -> FileContents {
        do throws(FileReader.Failure) {
            var bytes = try FileReader.contents(of: path, atMost: Self.most)
            defer { bytes.wipe() }
            return .contents(Secret(bytes))
        } catch {
            return error == .absent ? .absent : .unreadable
        }
    }
}
