/// What a path contains.
package enum FileContents {
    /// There is no file.
    case absent
    /// The contents of the file.
    case contents(Secret)
    /// There is something, but it cannot be read or is not a regular file.
    case unreadable
}
