import Foundation

/// git's own credential helper for the same keyring, built from the source that comes with a git.
package struct LibsecretHelper: Codable, Sendable, CustomStringConvertible {
    /// The built program.
    package let path: String
    package let description: String
    /// Whether it is that of git 2.43 or later.
    ///
    /// Since then it keeps expiry and refresh token, and its schema is the one that we write. Before that it finds nothing
    /// but items of an older schema; those we read, replace and erase.
    package let isCurrent: Bool

    /// Those of the system's git and of a newer one; what is missing on this machine is named as skipped.
    package static let all: [LibsecretHelper] = {
        let newer = Git.newer.flatMap { git in
            LibsecretHelper(of: git, source: (git.folder ?? "") + "/../contrib/credential/libsecret")
        }
        let systems = LibsecretHelper(of: .system, source: "/usr/share/doc/git/contrib/credential/libsecret")
        return [systems, newer].compactMap(\.self)
    }()

    /// Those of git 2.43 or later.
    package static let current: [LibsecretHelper] = {
        let current = all.filter(\.isCurrent)
        if current.isEmpty {
            Skipped.note(
                "the libsecret helper of git 2.43 or newer", because: "none is here; make newer-git brings one")
        }
        return current
    }()

    /// Builds the helper; nil, and told as skipped, if its source or a compiler is missing.
    private init?(of git: Git, source: String) {
        let source = source + "/git-credential-libsecret.c"
        description = "the libsecret helper of \(git.description)"
        path = BuiltFiles.folder + "git-credential-libsecret-\(git.version.0).\(git.version.1)"
        guard let text = try? String(contentsOfFile: source, encoding: .utf8) else {
            Skipped.note(description, because: "its source is not installed: \(source)")
            return nil
        }
        isCurrent = text.contains("org.git.Password")
        // Swift comes with a C compiler, clang, which the machine need not have otherwise; where `swift` is a link, it lies
        // beside what is linked to. Into place in one step, for another suite may run the same program just now.
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
