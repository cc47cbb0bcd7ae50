import Foundation

/// Where the tests find what they run.
package enum BuiltFiles {
    /// The root of the repository.
    package static let root = ancestor(3, of: #filePath)

    /// The folder of what was built together with these tests.
    package static let folder: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return ancestor(1, of: tests)
    }()

    /// The program under test: what was built with the tests, or what `GITSPACE_TEST_PROGRAM` names, as installed.
    package static let helper =
        ProcessInfo.processInfo.environment["GITSPACE_TEST_PROGRAM"] ?? folder + "git-credential-gitspace"

    /// The same for a shell, as `configure` has git run it: a clone may be in a folder with a blank in its name.
    package static let helperCommand = helper.replacing(" ", with: "\\ ")

    /// That in a line of git's configuration (git-config(1), "Values").
    package static let helperValue = helperCommand.replacing("\\", with: "\\\\")

    /// The folder of the helper, for a PATH.
    package static let helperFolder = ancestor(1, of: helper)

    /// A script of Tests/Support.
    package static func script(_ name: String) -> String { root + "Tests/Support/" + name }

    /// The folder so many levels above, with a slash at its end, which URL leaves out in Swift 6.0.
    private static func ancestor(_ levels: Int, of path: String) -> String {
        "/" + path.split(separator: "/").dropLast(levels).map { $0 + "/" }.joined()
    }
}
