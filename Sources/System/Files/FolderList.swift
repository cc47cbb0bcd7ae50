internal import CProcess
internal import Glibc

/// What is in a folder: readdir(3).
package enum FolderList {
    /// Lists a folder.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - most: of more entries than that, nobody knows which are told.
    /// - Returns: the names of the entries, in no order; empty if the folder cannot be read.
    package static func names(in path: String, atMost most: Int) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < most, let name = gitspace_next_entry(folder) {
            if let name = String(validatingCString: name) { names.append(name) }
        }
        return names
    }
}
