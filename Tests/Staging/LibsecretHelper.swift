import Foundation

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

    /// The helpers of git 2.43 or later.
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
