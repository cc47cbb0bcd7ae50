import Staging

extension Client {
    /// Programs that run git for something else: packages, hooks, builds, an editor.
    static let programs: [Client] = [
        Client(
            program: "uv", tried: "pip install git+https", version: version(fetched("uv"), "--version"),
            absence: notFetched, signsInAtTerminal: false, prepare: { fixture in try filled(fixture) },
            script: { fixture in
                """
                \(fetched("uv")) pip install --quiet --cache-dir cache --python /usr/bin/python3 --target there \\
                    --no-build-isolation --no-deps --no-index git+\(fixture.address("acme/filled"))
                test -f there/acme.py
                """
            }),
        Client(
            program: "pre-commit", tried: "run --all-files, a hook of a private repository",
            version: version(fetched("pre-commit"), "--version"), absence: notFetched,
            prepare: { fixture in try filled(fixture) },
            script: { fixture in
                """
                git init --quiet one; cd one
                echo 'repos: [{repo: "\(fixture.address("acme/filled"))", rev: main, hooks: [{id: acme}]}]' \\
                    >.pre-commit-config.yaml
                git add .
                PRE_COMMIT_HOME=$PWD/../cache \(fetched("pre-commit")) run --all-files
                """
            }),
        Client(
            program: "scmrepo", tried: "Git.clone, as DVC uses it",
            version: version(
                fetched("python"), "-c", "from importlib.metadata import version; print(version('scmrepo'))"),
            absence: notFetched,
            // scmrepo captures the standard error of a helper, and drops it.
            ownError: "No valid credentials provided",
            script: { fixture in
                """
                \(fetched("python")) -c 'import scmrepo.git as g; g.Git.clone("\(fixture.address())", "clone")'
                test -f clone/README.md
                """
            }),
        Client(
            program: "jj", tried: "git clone, with a git of 2.42 or newer", version: version(jj, "--version"),
            absence: notFetched, signsInAtTerminal: false, git: Git.newer ?? .system,
            script: { fixture in
                """
                \(jj) git clone \(fixture.address()) clone
                test -f clone/README.md
                """
            }),
        Client(
            program: "swift package", tried: "resolve", version: version("swift", "package", "--version"),
            signsInAtTerminal: false, prepare: { fixture in try filled(fixture) },
            script: { fixture in
                """
                cat >Package.swift <<END
                // swift-tools-version:5.9
                import PackageDescription
                let package = Package(
                    name: "user", dependencies: [.package(url: "\(fixture.address("acme/filled"))", branch: "main")])
                END
                swift package --cache-path cache --config-path config --security-path security resolve
                test -f .build/checkouts/filled/Package.swift
                """
            }),
        Client(
            program: "CMake", tried: "FetchContent", version: version("cmake", "--version"),
            prepare: { fixture in try filled(fixture) },
            script: { fixture in
                """
                cat >CMakeLists.txt <<END
                cmake_minimum_required(VERSION 3.16)
                project(user NONE)
                include(FetchContent)
                FetchContent_Declare(acme GIT_REPOSITORY \(fixture.address("acme/filled")) GIT_TAG main)
                FetchContent_MakeAvailable(acme)
                END
                cmake -S . -B build
                test -f build/_deps/acme-src/CMakeLists.txt
                """
            }),
        Client(
            program: "Magit", tried: "magit-call-git in batch",
            version: version("/usr/bin/dpkg-query", "--show", "--showformat", "${Version}", "elpa-magit"),
            signsInAtTerminal: false,
            // Emacs compiles trampolines into the home, where four at once read unfinished files of each other.
            script: { fixture in
                """
                git init --quiet one; cd one; git remote add origin \(fixture.address())
                emacs --batch --eval '(setq comp-enable-subr-trampolines nil native-comp-enable-subr-trampolines nil)' \\
                    --eval '(package-initialize)' --eval "(require 'magit)" \\
                    --eval '(let ((status (magit-call-git "fetch" "origin")))
                        (with-current-buffer (magit-process-buffer t) (princ (buffer-string)))
                        (kill-emacs status))'
                git rev-parse --quiet --verify origin/main
                """
            }),
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
}
