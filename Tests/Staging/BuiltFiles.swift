import Foundation

/// Where the tests find what they run.
package enum BuiltFiles {
    /// The root of the repository.
    package static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL.path()

    /// The folder of what was built together with these tests.
    package static let folder: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent().path()
    }()

    /// The program under test: what was built with the tests, or what `GITSPACE_TEST_PROGRAM` names, as installed.
    package static let helper =
        ProcessInfo.processInfo.environment["GITSPACE_TEST_PROGRAM"] ?? folder + "git-credential-gitspace"

    /// A script of Tests/Support.
    package static func script(_ name: String) -> String { root + "Tests/Support/" + name }
}
