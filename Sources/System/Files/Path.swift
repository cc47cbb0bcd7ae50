internal import CProcess
internal import Glibc

/// Paths as bytes: one `Character` can span several, and may include the preceding slash (before U+0301).
package enum Path {
    package static func isAbsolute(_ path: some StringProtocol) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    package static func names(in path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    /// The parent directory, computed from the text alone; `.` for a bare name.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    package static func name(of path: String) -> String {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        return String(path[end...])
    }

    /// Returns an absolute name as it is.
    package static func path(_ name: String, in folder: String) -> String {
        isAbsolute(name) ? name : folder == "/" ? "/" + name : folder + "/" + name
    }

    /// readlink(2).
    ///
    /// - Throws: `EINVAL` if the path is not a link, `EILSEQ` if the target is not UTF-8.
    package static func target(ofLink path: String) throws(Errno) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        guard count >= 0 else { throw .last }
        guard count < buffer.count else { throw Errno(number: ENAMETOOLONG) }
        return try text(buffer[..<count].map { UInt8(truncatingIfNeeded: $0) })
    }

    /// realpath(3).
    ///
    /// - Throws: `EILSEQ` for a path that is not UTF-8.
    package static func real(_ path: String) throws(Errno) -> String {
        guard let real = realpath(path, nil) else { throw .last }
        defer { free(real) }
        return try text(UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(truncatingIfNeeded: $0) })
    }

    private static func text(_ bytes: [UInt8]) throws(Errno) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Errno(number: EILSEQ) }
        return text
    }

    /// Puts a file in a place where others may have put anything: a socket, a link, a folder that is not empty.
    package static func replace(_ path: String, with file: String) throws(Errno) {
        // rename(2) replaces everything but a folder, which swaps places with the file. Both stay in one folder: a
        // folder that is not writable cannot move to another one.
        let beside = "\(path).\(UInt32.random(in: 0 ... .max))"
        var place = file
        for _ in 0..<100 {
            if rename(place, path) == 0 { return }
            guard errno == EISDIR, place == beside || rename(place, beside) == 0 else { break }
            place = beside
            if gitspace_exchange(beside, path) == 0 {
                // A folder that is not empty stays.
                rmdir(beside)
                return
            }
            // The entry was removed meanwhile.
            guard errno == ENOENT else { break }
        }
        let reason = Errno.last
        unlink(place)
        throw reason
    }
}

/// `XDG_RUNTIME_DIR` (XDG Base Directory Specification).
package enum RuntimeDirectory {
    /// The directory of pam_systemd(8), for processes whose environment does not name one.
    package static var usual: String { "/run/user/\(geteuid())" }

    /// The directory, which may be missing, or `nil` if the environment's is not absolute and so invalid.
    package static func path(environment: (String) -> String?) -> String? {
        guard let named = environment("XDG_RUNTIME_DIR"), !named.isEmpty else { return usual }
        return Path.isAbsolute(named) ? named : nil
    }
}
