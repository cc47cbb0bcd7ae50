package import Bytes

/// Files of other tools, which are read, and never touched.
package protocol ForeignFiles {
    /// What a file holds: at most some hundred kilobytes of a plain file.
    func contents(of path: String) -> ForeignFile
}

/// What there is at a path.
package enum ForeignFile {
    /// Nothing.
    case absent
    /// This.
    case contents(Secret)
    /// Something that cannot be read, or is no file of that kind.
    case unreadable
}
