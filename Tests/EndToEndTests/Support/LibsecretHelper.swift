import Foundation
import Staging
import StandIn
import Testing

/// git's own credential helper for the same keyring, built from the source that comes with a git.
struct LibsecretHelper: Sendable, CustomTestStringConvertible {
    /// The built program.
    let path: String
    let testDescription: String
    /// Whether it is that of git 2.43 or later.
    ///
    /// Since then it keeps expiry and refresh token, and its schema is the one that we write. Before that it finds nothing
    /// but items of an older schema; those we read, replace and erase.
    let isCurrent: Bool

    /// What can be built on this machine; a distribution may have left out the sources.
    static let all = [
        LibsecretHelper(of: .system, source: "/usr/share/doc/git/contrib/credential/libsecret"),
        Git.newer.flatMap { newer in
            LibsecretHelper(of: newer, source: (newer.folder ?? "") + "/../contrib/credential/libsecret")
        },
    ].compactMap(\.self)

    /// Builds the helper; nil if its source or a compiler is missing.
    private init?(of git: Git, source: String) {
        let source = source + "/git-credential-libsecret.c"
        guard FileManager.default.fileExists(atPath: source) else { return nil }
        testDescription = "the libsecret helper of \(git.description)"
        isCurrent = git.version >= (2, 43)
        path = BuiltFiles.folder + "git-credential-libsecret-\(git.version.0).\(git.version.1)"
        let compile = "$(command -v cc || command -v clang) -o \"$0\" \"$1\" $(pkg-config --cflags --libs libsecret-1)"
        guard let result = try? ChildProcess.run(["sh", "-c", compile, path, source]), result.status == 0 else {
            return nil
        }
    }
}
