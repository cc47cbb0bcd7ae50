import Foundation

/// A git to test with.
///
/// The system's may be as old as Debian 12's, which knows nothing of expiry, refresh tokens or
/// capabilities; `make newer-git` builds one that knows them all.
package struct Git: Sendable, CustomStringConvertible {
    /// The folder to put first on PATH; nil for the system's git.
    package let folder: String?
    /// Major and minor version.
    package let version: (Int, Int)

    /// What to test with: the system's git, and, if that does not know all of the protocol, a newer one.
    ///
    /// Each test that asks for them is told as one that was run with the system's git alone, if it was.
    package static var all: [Git] {
        guard let newer else {
            if !system.knowsState {
                Skipped.note("a test with a git of 2.46 or newer", because: "none is here; make newer-git builds one")
            }
            return [system]
        }
        return [system, newer]
    }

    /// The git on the PATH.
    package static let system = Git(folder: nil)

    /// The git that Tests/Conformance/newer-git.sh has built; nil if it has not.
    package static let newer: Git? = {
        let folder = BuiltFiles.root + ".build/newer-git/source/bin-wrappers"
        // The mark that the script leaves when it is done; before that, the folder may be half a git.
        return FileManager.default.fileExists(atPath: BuiltFiles.root + ".build/newer-git/done")
            ? Git(folder: folder) : nil
    }()

    /// Debian's newest git, which Tests/World/newest.sh has fetched; nil if it has not.
    package static let newest: Git? = {
        let world = BuiltFiles.root + ".build/world"
        return FileManager.default.fileExists(atPath: world + "/done-git") ? Git(folder: world + "/git/bin") : nil
    }()

    private init(folder: String?) {
        self.folder = folder
        let program = folder.map { $0 + "/git" } ?? "git"
        let text = (try? RunningProgram.run([program, "version"]).output) ?? ""
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) } + [0, 0]
        version = (numbers[0], numbers[1])
    }

    /// Whether it says `capability[]=state` and brings back what a helper told it.
    package var knowsState: Bool { version >= (2, 46) }

    /// Whether it knows when a password ends, and keeps refresh tokens.
    package var knowsExpiry: Bool { version >= (2, 41) }

    package var description: String { "git \(version.0).\(version.1)" }
}
