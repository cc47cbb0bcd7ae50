import Foundation

/// This machine with other marks: what engines leave in a container, and what the kernel shows where SELinux is on.
package enum MarkedMachine {
    /// What runs a command there, by namespaces that only root can make.
    ///
    /// - Parameters:
    ///   - marks: The files that are there, as `/.dockerenv`; none that this machine has by itself is.
    ///   - session: Whose folder is there.
    /// - Returns: A program and its options, which the command follows.
    /// - Throws: If this machine's folders cannot be listed.
    package static func command(_ marks: String..., in session: Session) throws -> [String] {
        let manager = FileManager.default
        let folders = try manager.contentsOfDirectory(atPath: "/").map { "/" + $0 }.filter { path in
            var isFolder: ObjCBool = false
            let isThere = manager.fileExists(atPath: path, isDirectory: &isFolder)
            return isThere && isFolder.boolValue && !["/proc", "/run", "/sys"].contains(path)
        }
        let own = String(session.home.dropLast("/home".count))
        let binds = (folders + [own]).map { "\($0):\($0)" } + marks.map { "/dev/null:\($0)" }
        return [BuiltFiles.script("in-namespace.sh"), "--root"] + binds.flatMap { ["--bind", $0] } + ["--"]
    }
}
