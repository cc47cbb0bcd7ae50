import Staging
import Testing

/// git without a token and without a route to the host: the gateway, a real keyring and real smart HTTP.
@Suite("share: a gateway")
struct GatewayTests {
    /// Signs monalisa in with a token that never expires, which `share --token` would refuse.
    static func fixture(git: Git = .system) async throws -> (fixture: EndToEndFixture, token: IssuedToken) {
        let fixture = try await EndToEndFixture(git: git)
        return (fixture, try await fixture.signedIn("monalisa"))
    }

    /// Starts a gateway to all repositories.
    static func gateway() async throws -> (fixture: EndToEndFixture, gateway: GatewayBox) {
        let (fixture, _) = try await fixture()
        return (fixture, try await GatewayBox(fixture))
    }

    private static func refs(_ fixture: EndToEndFixture) throws -> [String] {
        try fixture.github.git(["for-each-ref", "--format=%(refname)"], in: "acme/private")
            .split(separator: "\n").map(String.init)
    }

    @Test("clones, fetches, pushes and deletes allowed branches, and refuses main in git's format", arguments: Git.all)
    func session(git: Git) async throws {
        let (fixture, token) = try await Self.fixture(git: git)
        let gateway = try await GatewayBox(
            fixture, "--repository", fixture.address(), "--branch", "agent/*", "--branch", "refs/heads/next")
        try await gateway.clone()
        #expect(try await gateway.push(to: "agent/fix").status == 0)
        #expect(try await gateway.push(to: "refs/heads/next").status == 0)
        let main = try await gateway.push(to: "main")
        #expect(main.status == 1, "\(main.errors)")
        #expect(main.errors.contains("! [remote rejected] HEAD -> main (gitspace: only agent/*, next may be pushed)"))
        let both = try await gateway.run("git push origin HEAD:agent/b HEAD:refs/tags/v1", in: gateway.work)
        #expect(both.status == 1 && both.errors.contains("agent/b (not pushed, because another ref was refused)"))
        let pushes = fixture.github.count(of: .gitPush)
        #expect(try Self.refs(fixture) == ["refs/heads/agent/fix", "refs/heads/main", "refs/heads/next"])
        try await gateway.run("git fetch --quiet --prune --all -j 8 && git push origin :agent/fix", in: gateway.work)
            .succeeded()
        #expect(try Self.refs(fixture) == ["refs/heads/main", "refs/heads/next"])
        // Two accepted pushes and the deletion reached the host; the refused ones did not.
        #expect(pushes == 2 && fixture.github.count(of: .gitPush) == 3)
        let end = try await gateway.box.interrupt()
        let said = end.output.split(separator: "\n").map(String.init)
        #expect(
            said[0].hasPrefix(
                "Sharing acme/private on \(fixture.host) (as monalisa) as \"agent\": read; push to agent/*, next only.")
        )
        #expect(said.contains("agent: fetched acme/private"))
        #expect(said.contains { $0.hasPrefix("agent: pushed agent/fix to acme/private (new, ") })
        #expect(said.contains("agent: refused a push to main on acme/private: only agent/*, next may be pushed"))
        #expect(said.contains("agent: deleted agent/fix on acme/private"))
        #expect(!(end.output + end.errors).contains(token.accessToken))
        let place = try await fixture.session.run(["grep", "-rlF", token.accessToken, gateway.home])
        #expect(place.output.isEmpty && place.status == 1)
    }

    @Test("leads remotes of the three usual forms to the gateway, and runs no helper inside")
    func remotes() async throws {
        let (fixture, gateway) = try await Self.gateway()
        let asked = gateway.home + "/asked"
        for address in ["https://\(fixture.host)/", "git@localhost:", "ssh://git@localhost/"] {
            let end = try await gateway.run(
                "git -c 'credential.helper=!touch \(asked); :' ls-remote \(address)acme/private.git")
            #expect(end.status == 0 && end.output.contains("refs/heads/main"), "\(address): \(end.errors)")
        }
        // git would run no helper for the gateway's own address either.
        _ = try await gateway.run(
            """
            git config --global credential.helper '!touch \(asked); :'
            printf 'protocol=http\\nhost=gitspace.invalid\\n' | git credential fill || true
            """)
        #expect(!FileManager.default.fileExists(atPath: asked))
    }

    /// Returns lines that the place may have in its own configuration, each of which would lead a remote past the
    /// gateway.
    private static func ownRewriting(_ host: String) -> String {
        """
        git config --global url.https://\(host)/.insteadOf git@localhost:
        git config --global url.https://elsewhere.example/.insteadOf https://\(host)/
        git config --global url.git@elsewhere.example:.pushInsteadOf https://\(host)/

        """
    }

    @Test("--repository leads each spelling of its address to the gateway, and no other repository", arguments: Git.all)
    func rewriting(git: Git) async throws {
        let (fixture, _) = try await Self.fixture(git: git)
        try fixture.github.createRepository("acme/privates", writers: ["monalisa"])
        let gateway = try await GatewayBox(
            fixture, "--repository", fixture.address(), "--repository", fixture.address("acme/privates"), "--username",
            "monalisa", "--branch", "agent/*")
        let addresses = [
            "https://\(fixture.host)/", "https://monalisa@\(fixture.host)/", "git@localhost:", "ssh://git@localhost/",
        ]
        var script = Self.ownRewriting(fixture.host) + "git init --quiet x\ncd x\ngit remote add x .\n"
        for address in addresses.flatMap({ [$0 + "acme/private", $0 + "acme/private.git", $0 + "acme/privates"] }) {
            script += """
                git ls-remote '\(address)' refs/heads/main
                git remote set-url x '\(address)'
                git remote get-url --push x

                """
        }
        let shared = try await gateway.run(script).succeeded()
        let (lines, led) = (shared.output.split(separator: "\n"), "http://gitspace.invalid/\(fixture.host)/acme/")
        #expect(lines.filter { $0.hasSuffix("refs/heads/main") }.count == 12, "\(shared.output)")
        #expect(lines.filter { $0.hasPrefix(led) }.count == 12, "\(shared.output)")
        for name in ["other", "private2", "private-d.git", "private.js", "priv", "private.wiki", "private.github.io"] {
            let ask = "git ls-remote --get-url"
            let end = try await gateway.run("\(ask) \(addresses[0])acme/\(name)\n\(ask) \(addresses[2])acme/\(name)")
            #expect(end.status == 0 && !end.output.contains("gitspace"), "\(end.output)")
        }
    }

    @Test("leads a host's repositories to the gateway, although the place rewrites that host's addresses")
    func ownRewriting() async throws {
        let (fixture, _) = try await Self.fixture()
        let gateway = try await GatewayBox(fixture, "--username", "monalisa")
        try await gateway.run(
            Self.ownRewriting(fixture.host) + """
                git clone --quiet git@localhost:acme/private work
                cd work
                git remote set-url origin https://monalisa@\(fixture.host)/acme/private
                git fetch --quiet
                git remote set-url origin \(fixture.address())
                git push --quiet origin HEAD:agent/x
                """
        ).succeeded()
    }

    @Test("sends one spelling of a repository's path to the host")
    func spellings() async throws {
        let (fixture, _) = try await Self.fixture()
        for path in ["acme/Gr%C3%B6%C3%9Fe", "acme/c%2B%2B", "acme/a%20b"] {
            try fixture.github.createRepository(path, writers: ["monalisa"])
        }
        let gateway = try await GatewayBox(
            fixture, "--repository", fixture.address("acme/Größe"), "--repository", fixture.address("acme/c++"),
            "--repository", fixture.address("acme/a%20b"))
        try await gateway.run(
            """
            for path in Größe Gr%C3%B6%C3%9Fe.git c++.git c%2B%2B a%20b; do
                git ls-remote --exit-code \(fixture.address("acme"))/$path refs/heads/main
            done
            git ls-remote --exit-code http://gitspace.invalid/\(fixture.host)/acme/Gr%c3%b6%C3%9Fe refs/heads/main
            """
        ).succeeded()
    }

    @Test("names an unshared repository in the refusal, and sends nothing of it to the host")
    func others() async throws {
        let (fixture, _) = try await Self.fixture()
        try fixture.github.createRepository("acme/other", writers: ["monalisa"])
        let gateway = try await GatewayBox(fixture, "--repository", fixture.address(), "--read-only").clone()
        let other = try await gateway.run("git ls-remote http://gitspace.invalid/\(fixture.host)/acme/other")
        #expect(other.status == 128 && other.errors.contains("gitspace: acme/other is not shared here"))
        let pushed = try await gateway.push(to: "agent/x")
        #expect(pushed.status != 0 && pushed.errors.contains("gitspace: this share is read-only"), "\(pushed.errors)")
        #expect(fixture.github.count(of: .gitPush) == 0)
        #expect(fixture.github.requests(to: .gitRefs).allSatisfy { $0.path.contains("acme/private") })
        let list = try await fixture.gitspace("share", "list").output
        #expect(list.contains("Only acme/private on \(fixture.host): read only."), "\(list)")
    }

    @Test("passes shallow and partial clones, a push larger than git's buffer, push options, and a probe")
    func shapes() async throws {
        let (fixture, _) = try await Self.fixture()
        let gateway = try await GatewayBox(fixture, "--branch", "agent/*")
        let end = try await gateway.run(
            """
            git clone --quiet --depth 1 \(fixture.address()) shallow
            git clone --quiet --filter=blob:none \(fixture.address()) partial
            cd shallow
            head -c 3000000 /dev/urandom >large && git add large && git commit --quiet -m large
            git -c http.postBuffer=65536 push --quiet origin HEAD:agent/large
            git fetch --quiet --unshallow
            ! git push --quiet -o ci.skip origin HEAD:agent/options 2>options
            ! git push --quiet origin HEAD:refs/notes/x 2>notes
            cat options notes
            """
        ).succeeded()
        #expect(try Self.refs(fixture).contains("refs/heads/agent/large"))
        #expect(end.output.contains("only agent/* may be pushed"), "\(end.output)")
    }

    @Test("reports no ref as pushed that the host rejects")
    func rejectedRef() async throws {
        let (fixture, gateway) = try await Self.gateway()
        _ = try fixture.github.git(["config", "receive.denyDeletes", "true"], in: "acme/private")
        try await gateway.clone()
        #expect(try await gateway.push(to: "agent/x").status == 0)
        let end = try await gateway.run("git push origin :agent/x HEAD:agent/y", in: gateway.work)
        #expect(end.status == 1 && end.errors.contains("deletion prohibited"), "\(end.errors)")
        try await gateway.logs("agent: the server rejected a push to agent/x on acme/private")
        #expect(gateway.log.contains { $0.hasPrefix("agent: pushed agent/y to acme/private (new, ") })
        #expect(!gateway.log.contains { $0.contains("deleted") })
        #expect(try await fixture.gitspace("share", "list").output.contains(": pushed agent/y to acme/private."))
    }

    @Test("share stop ends it during a flood of connections", arguments: [[0x05], [0x47]])
    func flood(bytes: [UInt8]) async throws {
        let (fixture, gateway) = try await Self.gateway()
        let flood = Flood(at: gateway.box.socket, sending: bytes)
        try await eventually("a flood") { flood.connections > 100 }
        let end = try await fixture.gitspace("share", "stop", "agent")
        #expect(end.status == 0 && end.output.contains("\"agent\" is no longer shared."), "\(end.output)\(end.errors)")
        withExtendedLifetime(flood) {}
    }

    @Test("writes git's configuration before the first request, which starts systemd's process")
    func activated() async throws {
        let (fixture, _) = try await Self.fixture()
        _ = try await fixture.git("config", "--global", "gitspace-share.agent.host", fixture.host)
        _ = try await fixture.git("config", "--global", "gitspace-share.agent.branch", "agent/*")
        let folder = SharedBox.directory(of: "agent", in: fixture.session)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        chmod(folder + "/..", 0o700)
        try await fixture.gitspace("share", "--prepare", "agent").succeeded()
        let written = try String(contentsOfFile: folder + "/gitconfig", encoding: .utf8)
        #expect(written.contains("proxy = socks5h://localhost%2Frun%2Fgitspace%2Fsocket\n"), "\(written)")
        // A token cannot be limited to branches.
        _ = try await fixture.git("config", "--global", "gitspace-share.agent.token", "true")
        let token = try await fixture.gitspace("share", "--prepare", "agent")
        #expect(token.status == 1 && token.errors.contains("a token cannot be limited as git's configuration says"))
    }

    @Test("refreshes a token once that the host rejects, and git goes on")
    func rejected() async throws {
        let (fixture, token) = try await ShareTests.fixture()
        let gateway = try await GatewayBox(fixture).clone()
        fixture.github.revoke(token.accessToken)
        #expect(try await gateway.push(to: "agent/x").status == 0)
        #expect(fixture.github.count(of: .refresh) == 1 && fixture.github.refreshTokenReuses == 0)
        #expect(gateway.log.contains { $0.hasSuffix("refreshed the token of monalisa, because the server rejects it") })
    }

    @Test("reports a token that cannot be refreshed as git's own error, with the remedy in the log")
    func rejectedForGood() async throws {
        let (fixture, token) = try await Self.fixture()
        let gateway = try await GatewayBox(fixture).clone()
        fixture.github.revoke(token.accessToken)
        let end = try await gateway.run("git fetch", in: gateway.work)
        #expect(
            end.status == 128 && end.errors.contains("rejected the token; where it is shared, run:"), "\(end.errors)")
        #expect(try await fixture.session.items().count == 1)
    }

    @Test("refreshes an expired token once for sixteen simultaneous clones")
    func parallel() async throws {
        let (fixture, _) = try await ShareTests.fixture(expiringIn: -10)
        let gateway = try await GatewayBox(fixture)
        let clones = try (0..<16).map { try gateway.start("git clone --quiet \(fixture.address()) work\($0)") }
        for clone in clones { try await clone.ended().succeeded() }
        #expect(fixture.github.count(of: .refresh) == 1 && fixture.github.refreshTokenReuses == 0)
    }

    @Test("confines a connection's process, which has no token in arguments or environment and ends with its parent")
    func process() async throws {
        let (fixture, token) = try await Self.fixture()
        let gateway = try await GatewayBox(fixture)
        fixture.github.answer(.gitRefs, with: .silence)
        let waiting = try gateway.start("git ls-remote \(fixture.address())")
        try await fixture.github.waitForRequests(1, to: .gitRefs)
        let child = try await gateway.connectionProcess()
        for file in ["cmdline", "environ"] {
            let text = (try? Data(contentsOf: URL(filePath: "/proc/\(child)/\(file)"))) ?? Data()
            #expect(text.range(of: Data(token.accessToken.utf8)) == nil, "\(file)")
        }
        // The process confines itself before it reads the place's bytes (proc_pid_status(5)).
        let status = try String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
        #expect(status.contains("\nNoNewPrivs:\t1\n") && status.contains("\nSeccomp:\t2\n"), "\(status)")
        gateway.box.program.signal(SIGKILL)
        _ = try await gateway.box.program.ended()
        #expect(try await waiting.ended().status == 128)
        try await eventually("the end of the connection's process") {
            !FileManager.default.fileExists(atPath: "/proc/\(child)")
        }
    }

    @Test("fails git inside after the end without a server, and leaves nothing in the folder")
    func end() async throws {
        let (fixture, gateway) = try await Self.gateway()
        try await gateway.clone()
        let stopped = try await fixture.gitspace("share", "stop", "agent")
        #expect(stopped.status == 0 && stopped.output == "\"agent\" is no longer shared.\n", "\(stopped.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: gateway.box.directory).isEmpty)
        #expect(try await gateway.run("git fetch", in: gateway.work).status == 128)
    }
}
