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

package final class InMemoryForeignKeyring: ForeignKeyring {
    package var items: [ForeignItem] = []
    package var fault: KeyringError?

    package init() {}

    package func put(_ secret: String, _ attributes: (String, String)...) {
        items.append(
            ForeignItem(attributes: attributes.map { ($0.0, Array($0.1.utf8)) }, modified: 0, secret: Secret(secret)))
    }

    package func foreignItems(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem]
    {
        if let fault { throw fault }
        return items.filter { item in attributes.allSatisfy { item[$0.name] == $0.value } }
    }
}
