import Staging

extension Client {
    /// cargo with its built-in library (libgit2), and cargo with git.
    static let cargo = [
        Client(
            program: "cargo", tried: "fetch, net.git-fetch-with-cli", version: cargoVersion,
            absence: "Debian's cargo is not installed", prepare: { fixture in try crate(fixture) },
            environment: { _ in ["CARGO_NET_GIT_FETCH_WITH_CLI": "true"] },
            script: { fixture in fetch(fixture, with: "/usr/bin/cargo") }),
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
            script: { fixture in
                // Debian's libgit2 reads only the machine's authorities, so these are replaced by a mount.
                let replace = "mount --bind \(fixture.server.caFile) \(authorities); exec /usr/bin/cargo \\\"\\$@\\\""
                return fetch(fixture, with: "\(namespace) sh -euc \"\(replace)\" sh")
            }),
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

    private static func fetch(_ fixture: EndToEndFixture, with cargo: String) -> String {
        """
        export CARGO_HOME=$PWD/cargo CARGO_NET_RETRY=0 RUSTC=/usr/bin/rustc
        mkdir src; : >src/lib.rs
        cat >Cargo.toml <<END
        [package]
        name = "user"
        version = "0.1.0"
        [dependencies]
        crate-of-acme = { git = "\(fixture.address("acme/crate"))" }
        END
        \(cargo) fetch --quiet
        ls cargo/git/checkouts/*/*/Cargo.toml
        """
    }
}
