import Foundation

/// A git to test with.
///
/// The system's git may be as old as Debian 12's, which lacks expiry, refresh tokens and capabilities; `make newer-git`
/// builds one that has them all.
package struct Git: Sendable, CustomStringConvertible {
    /// The folder to put first on PATH; `nil` for the system's git.
    package let folder: String?
    /// The major and minor version.
    package let version: (Int, Int)

    /// The system's git and, if that lacks part of the protocol, a newer one.
    ///
    /// Each test that uses this list is reported as left out in part if it ran with the system's git alone.
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

    /// The git that Tests/Conformance/newer-git.sh builds, or `nil` if it has not been built.
    package static let newer: Git? = {
        let folder = BuiltFiles.root + ".build/newer-git/source/bin-wrappers"
        // The script leaves this mark when it is done; without it, the folder may be incomplete.
        return FileManager.default.fileExists(atPath: BuiltFiles.root + ".build/newer-git/done")
            ? Git(folder: folder) : nil
    }()

    /// Debian's newest git, which Tests/World/newest.sh fetches, or `nil` if it has not been fetched.
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

    /// Whether git sends `capability[]=state` and returns a helper's state to it.
    package var knowsState: Bool { version >= (2, 46) }

    /// Whether git passes on a password's expiry and the refresh token.
    package var knowsExpiry: Bool { version >= (2, 41) }

    package var description: String { "git \(version.0).\(version.1)" }
}
