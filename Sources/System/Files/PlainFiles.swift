package import CredentialCore

/// Files in which other tools keep credentials.
package struct PlainFiles {
    /// Thousands of lines.
    private static let most = 1 << 20

    /// The files of whoever runs this process.
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
