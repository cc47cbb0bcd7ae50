package import CredentialCore
internal import Helper
internal import Verbs

/// Files by their paths; nil for one that cannot be read.
package final class InMemoryForeignFiles: ForeignFiles {
    /// The files.
    package var texts: [String: String?] = [:]

    /// No files.
    package init() {}

    package func contents(of path: String) -> FileContents {
        guard let text = texts[path] else { return .absent }
        return text.map { .contents(Secret($0)) } ?? .unreadable
    }
}
