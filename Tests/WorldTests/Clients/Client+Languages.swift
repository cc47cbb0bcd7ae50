import Foundation
import Staging
import StandIn

extension Client {
    /// cargo, by the library that it has built in (libgit2) and by git.
    static let cargo: [Client] = [false, true].map { usesGit in
        Client(
            program: "cargo", tried: usesGit ? "fetch, net.git-fetch-with-cli" : "fetch, libgit2",
            version: version("/usr/bin/cargo", "--version"), absence: "Debian's cargo is not installed",
            prepare: { fixture in
                try fixture.server.createRepository(
                    "acme/crate", writers: ["monalisa"],
                    files: [
                        "Cargo.toml": "[package]\nname = \"crate-of-acme\"\nversion = \"0.1.0\"\n", "src/lib.rs": "",
                    ])
            },
            environment: { fixture in
                [
                    "CARGO_HTTP_CAINFO": fixture.server.caFile, "CARGO_NET_GIT_FETCH_WITH_CLI": "\(usesGit)",
                    "CARGO_NET_RETRY": "0",
                ]
            },
            script: { fixture in
                """
                export CARGO_HOME=$PWD/cargo
                mkdir src; : >src/lib.rs
                cat >Cargo.toml <<END
                [package]
                name = "user"
                version = "0.1.0"
                [dependencies]
                crate-of-acme = { git = "\(fixture.address("acme/crate"))" }
                END
                /usr/bin/cargo fetch --quiet
                ls cargo/git/checkouts/*/*/Cargo.toml
                """
            })
    }

    /// go, which asks for the place of a module itself and for the module with git.
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
        script: { fixture in
            """
            export GOPATH=$PWD/go GOCACHE=$PWD/cache GOAUTH="git $HOME"
            trap 'chmod -R u+w go 2>/dev/null || :' EXIT
            printf 'module user\\n' >go.mod
            \(BuiltFiles.root).build/world/go/bin/go mod download -x \(fixture.host)/acme/module@main
            ls go/pkg/mod/\(fixture.host)/acme/module@*/module.go
            """
        })

    /// pip, and GitPython as other Python programs use it; Debian's Python has them, whatever else is on the PATH.
    static let python: [Client] = [
        Client(
            program: "pip", tried: "install git+https", version: version("/usr/bin/python3", "-m", "pip", "--version"),
            prepare: { fixture in
                try fixture.server.createRepository(
                    "acme/package", writers: ["monalisa"],
                    files: [
                        "setup.py":
                            "from setuptools import setup\nsetup(name='acme', version='1', py_modules=['acme'])\n",
                        "acme.py": "",
                    ])
            },
            script: { fixture in
                """
                /usr/bin/python3 -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \\
                    --no-index --target there git+\(fixture.address("acme/package"))
                test -f there/acme.py
                """
            }),
        Client(
            program: "GitPython", tried: "clone_from",
            version: version("/usr/bin/python3", "-c", "import git; print(git.__version__)"),
            script: { fixture in
                """
                /usr/bin/python3 -c 'import git; git.Repo.clone_from("\(fixture.address())", "clone")'
                test -f clone/README.md
                """
            }),
    ]

    /// All that are tried alike.
    static let all = git + lfs + cargo + [go] + python
}
