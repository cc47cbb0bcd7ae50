import Foundation

/// Paths of the programs and scripts that the tests run.
package enum BuiltFiles {
    package static let root = ancestor(3, of: #filePath)

    /// The folder of everything built together with these tests.
    package static let folder: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return ancestor(1, of: tests)
    }()

    /// The program under test: the one built with the tests, or the installed one that `GITSPACE_TEST_PROGRAM` names.
    package static let helper =
        ProcessInfo.processInfo.environment["GITSPACE_TEST_PROGRAM"] ?? folder + "git-credential-gitspace"

    /// The program's path for a shell, as `configure` writes it: the clone's folder may have a blank in its name.
    package static let helperCommand = helper.replacing(" ", with: "\\ ")
    /// The shell command, escaped for a line of git's configuration (git-config(1), "Values").
    package static let helperValue = helperCommand.replacing("\\", with: "\\\\")
    package static let helperFolder = ancestor(1, of: helper)
    package static func script(_ name: String) -> String { root + "Tests/Support/" + name }

    /// The folder this many levels above, with a slash at its end, which URL omits in Swift 6.0.
    private static func ancestor(_ levels: Int, of path: String) -> String {
        "/" + path.split(separator: "/").dropLast(levels).map { $0 + "/" }.joined()
    }
}
