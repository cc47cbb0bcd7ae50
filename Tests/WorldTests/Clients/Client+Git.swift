import Staging

extension Client {
    /// Every available git, with its version.
    static let gits: [(git: Git, version: String)] = [Git.system, Git.newer, Git.newest].compactMap { git in
        git.flatMap { git in version(git.folder.map { $0 + "/git" } ?? "git", "version").map { (git: git, version: $0) }
        }
    }

    /// The newest available git.
    static var newestGit: Git { gits.last?.git ?? .system }

    /// git itself, used in several ways, with every available git.
    static let git: [Client] =
        gits.flatMap { git in
            [
                Client(program: "git", tried: "clone", version: git.version, git: git.git) { fixture in
                    "git clone --quiet \(fixture.address()) clone; test -f clone/README.md"
                },
                Client(
                    program: "git", tried: "fetch --all -j 8, eight remotes", version: git.version, git: git.git,
                    prepare: { fixture in try eightRepositories(fixture) },
                    script: { fixture in
                        """
                        git init --quiet all; cd all
                        for n in 1 2 3 4 5 6 7 8; do git remote add r$n \(fixture.address("acme/part"))$n; done
                        git fetch --quiet --all -j 8
                        for n in 1 2 3 4 5 6 7 8; do git rev-parse --quiet --verify r$n/main; done
                        """
                    }),
                Client(
                    program: "git", tried: "submodule update --jobs 8", version: git.version, git: git.git,
                    prepare: { fixture in try eightRepositories(fixture) },
                    script: { fixture in try submodules(fixture) }),
                Client(
                    program: "git", tried: "maintenance run --task prefetch", version: git.version, git: git.git,
                    script: { fixture in
                        """
                        git init --quiet one; cd one; git remote add origin \(fixture.address())
                        git ls-remote --quiet origin
                        git maintenance run --task prefetch
                        git rev-parse --quiet --verify refs/prefetch/remotes/origin/main
                        """
                    }),
                Client(
                    program: "git", tried: "clone --filter=blob:none, blobs on demand", version: git.version,
                    git: git.git,
                    prepare: { fixture in
                        try fixture.server.git(["config", "uploadpack.allowFilter", "true"], in: "acme/private")
                        try fixture.server.git(["config", "uploadpack.allowAnySHA1InWant", "true"], in: "acme/private")
                    },
                    script: { fixture in
                        """
                        git clone --quiet --filter=blob:none --no-checkout \(fixture.address()) lazy
                        git -C lazy checkout --quiet main; test -f lazy/README.md
                        """
                    }),
            ]
        } + missingGits

    private static var missingGits: [Client] {
        [
            ("2.47 or newer", Git.newer, "make newer-git builds it"),
            ("Debian's newest", Git.newest, "Tests/World/newest.sh could not fetch it"),
        ].compactMap { name, git, reason in
            guard git == nil else { return nil }
            return Client(program: "git", tried: name, version: nil, absence: reason) { _ in "false" }
        }
    }

    private static func eightRepositories(_ fixture: EndToEndFixture) throws {
        for number in 1...8 { try fixture.server.createRepository("acme/part\(number)", writers: ["monalisa"]) }
    }

    /// Makes a local repository with eight submodules, whose commits are those on the server.
    private static func submodules(_ fixture: EndToEndFixture) throws -> String {
        let additions = try (1...8).map { number in
            let commit = try fixture.server.git(["rev-parse", "main"], in: "acme/part\(number)").prefix { $0 != "\n" }
            return """
                git config --file .gitmodules submodule.part\(number).path part\(number)
                git config --file .gitmodules submodule.part\(number).url \(fixture.address("acme/part\(number)"))
                git update-index --add --cacheinfo 160000,\(commit),part\(number)
                """
        }
        return """
            git init --quiet whole; cd whole
            \(additions.joined(separator: "\n"))
            git add .gitmodules; git commit --quiet --message=Parts
            git submodule --quiet update --init --jobs 8
            for n in 1 2 3 4 5 6 7 8; do test -f part$n/README.md; done
            """
    }

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
