import Staging

extension Client {
    /// git-lfs of this machine, trixie and sid, each with a git of the same age.
    static let lfs: [Client] = [
        lfs(nil, with: .system), lfs("trixie", with: Git.newer ?? .system), lfs("sid", with: newestGit),
    ]

    /// Each git-lfs with each git: the request depends on both versions.
    static let lfsWithEveryGit: [Client] = [nil, "trixie", "sid"].flatMap { suite in
        gits.map { lfs(suite, with: $0.git) }
    }

    private static func lfs(_ suite: String?, with git: Git) -> Client {
        let path = suite.map { BuiltFiles.root + ".build/world/git-lfs-\($0)/bin" }
        return Client(
            program: "git-lfs", tried: "push, lock, fetch",
            version: version(path.map { $0 + "/git-lfs" } ?? "git-lfs", "version"),
            absence: suite.map { "Tests/World/newest.sh could not fetch that of \($0)" } ?? "it is not installed",
            git: git, environment: { fixture in lfsEnvironment(fixture, path) },
            script: { fixture in
                """
                git clone --quiet \(fixture.address()) one; cd one
                \(commitLargeFile)
                git push --quiet origin HEAD:refs/heads/$$
                git lfs lock $large; git lfs unlock $large
                cd ..; git clone --quiet --branch $$ \(fixture.address()) two
                test "$(wc -c <two/$large)" = 100000
                """
            })
    }

    /// A shell script that commits a file kept in Git LFS.
    static let commitLargeFile = """
        git lfs install --local >/dev/null; git lfs track '*.bin' >/dev/null
        large=$(basename "$PWD")-$$.bin
        head -c 100000 /dev/urandom >$large
        git add .; git commit --quiet --message='A large file'
        """

    private static func lfsEnvironment(_ fixture: EndToEndFixture, _ path: String?) -> [String: String] {
        // git also runs `git-lfs` for its filters, in folders without hooks.
        var environment = [
            "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "filter.lfs.process",
            "GIT_CONFIG_VALUE_0": "git-lfs filter-process", "GIT_CONFIG_KEY_1": "filter.lfs.required",
            "GIT_CONFIG_VALUE_1": "true",
        ]
        let folders = [path, fixture.git.folder, fixture.session.environment["PATH"]].compactMap(\.self)
        environment["PATH"] = folders.joined(separator: ":")
        return environment
    }
}
