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
    static let git = missingGits + gits.flatMap { clients(of: $0.git, $0.version) }

    private static func clients(of git: Git, _ version: String) -> [Client] {
        func client(
            _ tried: String, prepare: @escaping @Sendable (EndToEndFixture) throws -> Void = { _ in }, _ script: String
        ) -> Client {
            Client(program: "git", tried: tried, version: version, git: git, prepare: prepare, script: script)
        }
        return [
            client("clone", "git clone --quiet https://HOST/acme/private clone; test -f clone/README.md"),
            client(
                "fetch --all -j 8, eight remotes", prepare: eightRepositories,
                """
                git init --quiet all; cd all
                for n in 1 2 3 4 5 6 7 8; do git remote add r$n https://HOST/acme/part$n; done
                git fetch --quiet --all -j 8
                for n in 1 2 3 4 5 6 7 8; do git rev-parse --quiet --verify r$n/main; done
                """),
            client(
                "submodule update --jobs 8", prepare: submodules,
                """
                git init --quiet whole; cd whole; . "$HOME/submodules"
                git add .gitmodules; git commit --quiet --message=Parts
                git submodule --quiet update --init --jobs 8
                for n in 1 2 3 4 5 6 7 8; do test -f part$n/README.md; done
                """),
            client(
                "maintenance run --task prefetch",
                """
                git init --quiet one; cd one; git remote add origin https://HOST/acme/private
                git ls-remote --quiet origin
                git maintenance run --task prefetch
                git rev-parse --quiet --verify refs/prefetch/remotes/origin/main
                """),
            client(
                "clone --filter=blob:none, blobs on demand",
                prepare: { fixture in
                    try fixture.server.git(["config", "uploadpack.allowFilter", "true"], in: "acme/private")
                    try fixture.server.git(["config", "uploadpack.allowAnySHA1InWant", "true"], in: "acme/private")
                },
                """
                git clone --quiet --filter=blob:none --no-checkout https://HOST/acme/private lazy
                git -C lazy checkout --quiet main; test -f lazy/README.md
                """),
        ]
    }

    private static var missingGits: [Client] {
        [
            ("2.47 or newer", Git.newer, "make newer-git builds it"),
            ("Debian's newest", Git.newest, "Tests/World/newest.sh could not fetch it"),
        ].compactMap { name, git, reason in
            guard git == nil else { return nil }
            return Client(program: "git", tried: name, version: nil, absence: reason, script: "false")
        }
    }

    private static func eightRepositories(_ fixture: EndToEndFixture) throws {
        for number in 1...8 { try fixture.server.createRepository("acme/part\(number)", writers: ["monalisa"]) }
    }

    /// Writes a shell script that adds eight submodules, whose commits are those on the server.
    private static func submodules(_ fixture: EndToEndFixture) throws {
        try eightRepositories(fixture)
        let additions = try (1...8).map { number in
            let commit = try fixture.server.git(["rev-parse", "main"], in: "acme/part\(number)").prefix { $0 != "\n" }
            return """
                git config --file .gitmodules submodule.part\(number).path part\(number)
                git config --file .gitmodules submodule.part\(number).url \(fixture.address("acme/part\(number)"))
                git update-index --add --cacheinfo 160000,\(commit),part\(number)

                """
        }
        try additions.joined().write(to: fixture.session.home + "/submodules")
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
            git: git,
            environment: { fixture in
                let folders = [path, fixture.git.folder, fixture.session.environment["PATH"]].compactMap(\.self)
                // git also runs `git-lfs` for its filters, in folders without hooks.
                return [
                    "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "filter.lfs.process",
                    "GIT_CONFIG_VALUE_0": "git-lfs filter-process", "GIT_CONFIG_KEY_1": "filter.lfs.required",
                    "GIT_CONFIG_VALUE_1": "true", "PATH": folders.joined(separator: ":"),
                ]
            },
            script: """
                git clone --quiet https://HOST/acme/private one; cd one
                \(commitLargeFile)
                git push --quiet origin HEAD:refs/heads/$$
                git lfs lock $large; git lfs unlock $large
                cd ..; git clone --quiet --branch $$ https://HOST/acme/private two
                test "$(wc -c <two/$large)" = 100000
                """)
    }

    /// A shell script that commits a file kept in Git LFS.
    static let commitLargeFile = """
        git lfs install --local >/dev/null; git lfs track '*.bin' >/dev/null
        large=$(basename "$PWD")-$$.bin
        head -c 100000 /dev/urandom >$large
        git add .; git commit --quiet --message='A large file'
        """
}
