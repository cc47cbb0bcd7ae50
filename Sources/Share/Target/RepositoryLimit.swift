internal import CredentialCore
package import Messages

/// What a share's token is limited to, and whose share it is.
package struct RepositoryLimit: Equatable {
    package let share: ShareName
    /// `OWNER/NAME`, as it was typed.
    package let repository: String
    package let isReadOnly: Bool

    package init(share: ShareName, repository: String, isReadOnly: Bool) {
        self.share = share
        self.repository = repository
        self.isReadOnly = isReadOnly
    }

    /// In the item's attributes; no name of a share or of a repository has a colon.
    var object: [UInt8] {
        let repository = String(decoding: repository.utf8.map(ASCII.folded), as: UTF8.self)
        return Array([share.text, isReadOnly ? "read" : "write", repository].joined(separator: ":").utf8)
    }

    /// Nil for what we have not written.
    package init?(object: [UInt8]) {
        let parts = object.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, let share = ShareName(parts[0]) else { return nil }
        self.init(share: share, repository: parts[2], isReadOnly: parts[1] == "read")
    }

    /// Whether a path in a request of git's is the repository's, its wiki's, or that of their large files (Git LFS).
    package func contains(_ path: [UInt8]) -> Bool {
        ["", ".git", ".wiki", ".wiki.git"].contains { end in
            ["", "/info/lfs"].contains { ASCII.equalsIgnoringCase(path, repository + end + $0) }
        }
    }

    /// At most: the server may allow less.
    package var right: Message { isReadOnly ? Message("read only") : Message("read and push") }
}
