package import CredentialCore
internal import Helper

/// Files of other tools, which are read, and never changed.
package protocol ForeignFiles {
    /// What a file holds: at most some hundred kilobytes of a plain file.
    func contents(of path: String) -> FileContents
}
