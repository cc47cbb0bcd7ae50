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

    package static let system = Git(folder: nil)
    /// The git that Tests/Conformance/newer-git.sh builds, or `nil` if it has not been built.
    package static let newer = Git(built: "newer-git/source/bin-wrappers", mark: "newer-git/done")
    /// Debian's newest git, which Tests/World/newest.sh fetches, or `nil` if it has not been fetched.
    package static let newest = Git(built: "world/git/bin", mark: "world/done-git")

    /// A git whose script leaves a mark when it is done: without it, the folder may be incomplete.
    private init?(built folder: String, mark: String) {
        guard FileManager.default.fileExists(atPath: BuiltFiles.root + ".build/" + mark) else { return nil }
        self.init(folder: BuiltFiles.root + ".build/" + folder)
    }

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

/// git's own credential helper for the same keyring, built from the source of a git package.
package struct LibsecretHelper: Codable, Sendable, CustomStringConvertible {
    package let path: String
    package let description: String
    /// Whether it comes from git 2.43 or later.
    ///
    /// Since 2.43 it keeps expiry and refresh token, and uses the schema that we write. Earlier ones find only items of
    /// an older schema, which we read, replace and erase.
    package let isCurrent: Bool

    /// The helpers of the system's git and of a newer one; a missing one is reported as skipped.
    package static let all: [LibsecretHelper] = {
        let newer = Git.newer.flatMap { git in
            LibsecretHelper(of: git, source: (git.folder ?? "") + "/../contrib/credential/libsecret")
        }
        let systems = LibsecretHelper(of: .system, source: "/usr/share/doc/git/contrib/credential/libsecret")
        return [systems, newer].compactMap(\.self)
    }()

    package static let current: [LibsecretHelper] = {
        let current = all.filter(\.isCurrent)
        if current.isEmpty {
            Skipped.note(
                "the libsecret helper of git 2.43 or newer", because: "none is here; make newer-git brings one")
        }
        return current
    }()

    /// Builds the helper; returns `nil`, and reports a skip, if its source or a compiler is missing.
    private init?(of git: Git, source: String) {
        let source = source + "/git-credential-libsecret.c"
        description = "the libsecret helper of \(git.description)"
        // A user who tests what another has built writes into the home of the private session.
        let folder =
            FileManager.default.isWritableFile(atPath: BuiltFiles.folder) ? BuiltFiles.folder : NSHomeDirectory() + "/"
        path = folder + "git-credential-libsecret-\(git.version.0).\(git.version.1)"
        guard let text = try? String(contentsOfFile: source, encoding: .utf8) else {
            Skipped.note(description, because: "its source is not installed: \(source)")
            return nil
        }
        isCurrent = text.contains("org.git.Password")
        // Use Swift's own clang, since the machine may have no other C compiler; if `swift` is a link, clang lies
        // beside its target. Move the program into place in one step: another suite may be running it.
        let compile = #"""
            swift=$(realpath "$(command -v swift)")
            compiler=$(command -v cc || command -v clang || printf '%s/clang' "${swift%/*}")
            "$compiler" -o "$0.$$" "$1" $(pkg-config --cflags --libs libsecret-1) && mv "$0.$$" "$0"
            """#
        guard let end = try? RunningProgram.run(["sh", "-c", compile, path, source]), end.status == 0 else {
            Skipped.note(description, because: "no C compiler on this machine builds it")
            return nil
        }
    }
}
