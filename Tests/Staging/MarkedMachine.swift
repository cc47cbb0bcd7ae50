import Foundation

/// This machine with the marks of another: files that engines leave in a container, or those of SELinux.
package enum MarkedMachine {
    /// A command prefix that shows the marks to the command after it, in a mount namespace, which needs root.
    ///
    /// - Parameters:
    ///   - marks: The paths of the files, such as `/.dockerenv`; none may exist on this machine.
    ///   - session: The session in whose folder the files are made.
    /// - Returns: A program and its options, to be followed by the command.
    /// - Throws: An error if this machine's folders cannot be listed.
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
