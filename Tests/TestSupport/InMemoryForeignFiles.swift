package import CredentialCore
internal import Helper
internal import Verbs

/// Files of other tools by their paths, with `nil` for one that cannot be read.
package final class InMemoryForeignFiles: ForeignFiles {
    package var texts: [String: String?] = [:]

    package init() {}

    package func contents(of path: String) -> FileContents {
        guard let text = texts[path] else { return .absent }
        return text.map { .contents(Secret($0)) } ?? .unreadable
    }
}
