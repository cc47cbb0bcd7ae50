internal import Glibc

/// Replaces small files by rename(2), so that whoever reads one sees either all of the old text or all of the new.
enum FileReplacement {
    /// Replaces a file, or creates it, for its owner alone; nothing changes if that fails.
    ///
    /// The caller holds a lock: two of these at once would use the same temporary name.
    static func replace(_ path: String, with text: String) {
        let new = path + ".new"
        unlink(new)
        guard let file = FileDescriptor(opening: new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600),
            Array(text.utf8).withUnsafeBytes({ file.write($0) })
        else { return }
        rename(new, path)
    }
}
