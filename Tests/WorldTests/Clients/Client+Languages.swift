import Staging

extension Client {
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
        script: { fixture in
            """
            export GOPATH=$PWD/go GOCACHE=$PWD/cache GOAUTH="git $HOME"
            trap 'chmod -R u+w go 2>/dev/null || :' EXIT
            printf 'module user\\n' >go.mod
            \(BuiltFiles.root).build/world/go/bin/go mod download -x \(fixture.host)/acme/module@main
            ls go/pkg/mod/\(fixture.host)/acme/module@*/module.go
            """
        })

    /// pip, and GitPython as a library; both with Debian's Python, whatever else is on the PATH.
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

    /// All clients for which the same tests run.
    static let all = git + lfs + cargo + [go] + python + programs
}
