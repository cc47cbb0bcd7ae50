import Staging

extension Client {
    /// Programs that run git for something else: packages, hooks, builds, an editor.
    static let programs: [Client] = [
        Client(
            program: "uv", tried: "pip install git+https", version: version(fetched("uv"), "--version"),
            absence: notFetched, signsInAtTerminal: false, prepare: filled,
            script: """
                \(fetched("uv")) pip install --quiet --cache-dir cache --python /usr/bin/python3 --target there \\
                    --no-build-isolation --no-deps --no-index git+https://HOST/acme/filled
                test -f there/acme.py
                """),
        Client(
            program: "pre-commit", tried: "run --all-files, a hook of a private repository",
            version: version(fetched("pre-commit"), "--version"), absence: notFetched, prepare: filled,
            script: """
                git init --quiet one; cd one
                echo 'repos: [{repo: "https://HOST/acme/filled", rev: main, hooks: [{id: acme}]}]' \\
                    >.pre-commit-config.yaml
                git add .
                PRE_COMMIT_HOME=$PWD/../cache \(fetched("pre-commit")) run --all-files
                """),
        Client(
            program: "scmrepo", tried: "Git.clone, as DVC uses it",
            version: version(
                fetched("python"), "-c", "from importlib.metadata import version; print(version('scmrepo'))"),
            absence: notFetched,
            // scmrepo captures the standard error of a helper, and drops it.
            ownError: "No valid credentials provided",
            script: """
                \(fetched("python")) -c 'import scmrepo.git as g; g.Git.clone("https://HOST/acme/private", "clone")'
                test -f clone/README.md
                """),
        Client(
            program: "jj", tried: "git clone, with a git of 2.42 or newer", version: version(jj, "--version"),
            absence: notFetched, signsInAtTerminal: false, git: Git.newer ?? .system,
            script: """
                \(jj) git clone https://HOST/acme/private clone
                test -f clone/README.md
                """),
        Client(
            program: "swift package", tried: "resolve", version: version("swift", "package", "--version"),
            signsInAtTerminal: false, prepare: filled,
            script: """
                cat >Package.swift <<END
                // swift-tools-version:5.9
                import PackageDescription
                let package = Package(
                    name: "user", dependencies: [.package(url: "https://HOST/acme/filled", branch: "main")])
                END
                swift package --cache-path cache --config-path config --security-path security resolve
                test -f .build/checkouts/filled/Package.swift
                """),
        Client(
            program: "CMake", tried: "FetchContent", version: version("cmake", "--version"), prepare: filled,
            script: """
                cat >CMakeLists.txt <<END
                cmake_minimum_required(VERSION 3.16)
                project(user NONE)
                include(FetchContent)
                FetchContent_Declare(acme GIT_REPOSITORY https://HOST/acme/filled GIT_TAG main)
                FetchContent_MakeAvailable(acme)
                END
                cmake -S . -B build
                test -f build/_deps/acme-src/CMakeLists.txt
                """),
        Client(
            program: "Magit", tried: "magit-call-git in batch",
            version: version("/usr/bin/dpkg-query", "--show", "--showformat", "${Version}", "elpa-magit"),
            signsInAtTerminal: false,
            // Emacs compiles trampolines into the home, where four at once read unfinished files of each other.
            script: """
                git init --quiet one; cd one; git remote add origin https://HOST/acme/private
                emacs --batch --eval '(setq comp-enable-subr-trampolines nil native-comp-enable-subr-trampolines nil)' \\
                    --eval '(package-initialize)' --eval "(require 'magit)" \\
                    --eval '(let ((status (magit-call-git "fetch" "origin")))
                        (with-current-buffer (magit-process-buffer t) (princ (buffer-string)))
                        (kill-emacs status))'
                git rev-parse --quiet --verify origin/main
                """),
    ]

    private static let jj = BuiltFiles.root + ".build/world/jj/bin/jj"
    private static let notFetched = "Tests/World/newest.sh has not fetched it"

    /// A program of the virtual environment that Tests/World/newest.sh makes.
    private static func fetched(_ program: String) -> String { BuiltFiles.root + ".build/world/python/bin/" + program }

    /// Makes `acme/filled`, which is a package for each of the programs.
    private static func filled(_ fixture: EndToEndFixture) throws {
        let manifest = """
            // swift-tools-version:5.9
            import PackageDescription
            let package = Package(name: "filled", targets: [.target(name: "A", path: "A")])
            """
        try fixture.server.createRepository(
            "acme/filled", writers: ["monalisa"],
            files: [
                "setup.py": "from setuptools import setup\nsetup(name='acme', version='1', py_modules=['acme'])\n",
                "acme.py": "", "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(acme NONE)\n",
                ".pre-commit-hooks.yaml": "[{id: acme, name: acme, language: system, entry: \"true\"}]\n",
                "Package.swift": manifest, "A/A.swift": "",
            ])
    }

    /// go, which looks up a module's repository itself and fetches it with git.
    static let go = Client(
        program: "go", tried: "mod download, GOAUTH=git",
        version: version(BuiltFiles.root + ".build/world/go/bin/go", "version"),
        absence: "Tests/World/newest.sh could not fetch one of 1.24 or newer", needsNamedHost: true,
        prepare: { fixture in
            try fixture.server.createRepository(
                "acme/module", writers: ["monalisa"],
                files: ["go.mod": "module \(fixture.host)/acme/module\n", "module.go": "package module\n"])
        },
        environment: { fixture in
            [
                "HTTPS_PROXY": fixture.server.proxyAddress, "SSL_CERT_FILE": fixture.server.caFile, "GOPRIVATE": "*",
                "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod",
            ]
        },
        // Without these variables, go tells git and its helpers not to ask a person.
        personsEnvironment: ["GIT_TERMINAL_PROMPT": "1", "GCM_INTERACTIVE": "always"],
        script: """
            export GOPATH=$PWD/go GOCACHE=$PWD/cache GOAUTH="git $HOME"
            trap 'chmod -R u+w go 2>/dev/null || :' EXIT
            printf 'module user\\n' >go.mod
            \(BuiltFiles.root).build/world/go/bin/go mod download -x HOST/acme/module@main
            ls go/pkg/mod/HOST/acme/module@*/module.go
            """)

    /// pip, and GitPython as a library; both with Debian's Python, whatever else is on the PATH.
    static let python: [Client] = [
        Client(
            program: "pip", tried: "install git+https", version: version("/usr/bin/python3", "-m", "pip", "--version"),
            prepare: filled,
            script: """
                /usr/bin/python3 -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \\
                    --no-index --target there git+https://HOST/acme/filled
                test -f there/acme.py
                """),
        Client(
            program: "GitPython", tried: "clone_from",
            version: version("/usr/bin/python3", "-c", "import git; print(git.__version__)"),
            script: """
                /usr/bin/python3 -c 'import git; git.Repo.clone_from("https://HOST/acme/private", "clone")'
                test -f clone/README.md
                """),
    ]

    /// All clients for which the same tests run.
    static let all = git + lfs + cargo + [go] + python + programs

    /// cargo with its built-in library (libgit2), and cargo with git.
    static let cargo = [
        Client(
            program: "cargo", tried: "fetch, net.git-fetch-with-cli", version: cargoVersion,
            absence: "Debian's cargo is not installed", prepare: crate,
            environment: { _ in ["CARGO_NET_GIT_FETCH_WITH_CLI": "true"] },
            script: fetch(with: "/usr/bin/cargo")),
        Client(
            program: "cargo", tried: "fetch, libgit2", version: canReplaceAuthorities ? cargoVersion : nil,
            absence: cargoVersion == nil ? "Debian's cargo is not installed" : "no mount namespace is permitted here",
            prepare: { fixture in
                try crate(fixture)
                // With a configured proxy or CA, cargo uses libcurl for libgit2's transport, which asks no helper.
                let file = fixture.session.home + "/.gitconfig"
                let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
                let rest = lines.filter { !$0.contains("proxy = ") }.joined(separator: "\n") + "\n"
                try rest.write(to: file)
            },
            // cargo hides the standard error of a helper.
            ownError: "failed to acquire username/password from local configuration",
            // Debian's libgit2 reads only the machine's authorities, so these are replaced by a mount.
            script: fetch(
                with: "\(namespace) sh -euc 'mount --bind \"$HOME/authority.pem\" \(authorities); "
                    + "exec /usr/bin/cargo \"$@\"' sh")),
    ]

    private static let cargoVersion = version("/usr/bin/cargo", "--version")
    private static let authorities = "/etc/ssl/certs/ca-certificates.crt"
    /// Runs a command with private mounts; without root, that requires a user namespace.
    private static let namespace = "unshare --mount" + (geteuid() == 0 ? "" : " --map-current-user --keep-caps")

    private static let canReplaceAuthorities: Bool = {
        let attempt = "\(namespace) mount --bind /dev/null \(authorities)"
        return (try? RunningProgram.run(["sh", "-c", attempt]))?.status == 0
    }()

    private static func crate(_ fixture: EndToEndFixture) throws {
        let manifest = "[package]\nname = \"crate-of-acme\"\nversion = \"0.1.0\"\n"
        try fixture.server.createRepository(
            "acme/crate", writers: ["monalisa"], files: ["Cargo.toml": manifest, "src/lib.rs": ""])
    }

    private static func fetch(with cargo: String) -> String {
        """
        export CARGO_HOME=$PWD/cargo CARGO_NET_RETRY=0 RUSTC=/usr/bin/rustc
        mkdir src; : >src/lib.rs
        cat >Cargo.toml <<END
        [package]
        name = "user"
        version = "0.1.0"
        [dependencies]
        crate-of-acme = { git = "https://HOST/acme/crate" }
        END
        \(cargo) fetch --quiet
        ls cargo/git/checkouts/*/*/Cargo.toml
        """
    }
}
