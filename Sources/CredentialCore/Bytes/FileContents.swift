/// What there is at a path.
package enum FileContents {
    /// Nothing.
    case absent
    /// This.
    case contents(Secret)
    /// Something that cannot be read, or is no file of that kind.
    case unreadable
}
