import Staging
import Testing

extension Share {
    /// A container of a real podman, started without root: Tests/Support/in-podman.sh.
    @Suite("Containers of rootless podman", .enabled(if: geteuid() == 0, "only root can become the user 2000"))
    struct PodmanTests {
        private static func version(tried: String) -> String? {
            guard let end = try? RunningProgram.run(["podman", "--version"]), end.status == 0 else {
                WorldRow.notRun(.share, "podman", tried: tried, because: "it is not installed")
                return nil
            }
            // The output is `podman version 4.3.1`.
            return end.output.split(whereSeparator: \.isWhitespace).last.map(String.init)
        }

        /// A person who shares the password of acme/private.
        private static func person(_ fixture: EndToEndFixture) async throws -> Person {
            let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
            return try await Person(host: fixture.host, answer: "username=monalisa\npassword=\(token.accessToken)\n")
        }

        private static func inside(
            _ options: [String], _ command: String, _ person: Person, _ fixture: EndToEndFixture
        ) async throws -> RunningProgram.End {
            let settings = [
                "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=credential.helper",
                "GIT_CONFIG_VALUE_0=cache --socket /run/gitspace/socket", "GIT_CONFIG_NOSYSTEM=1",
                "GIT_TERMINAL_PROMPT=0", "GIT_SSL_CAINFO=/tmp/authority.pem", "HOME=/tmp",
            ]
            // Copied into the person's home, since podman mounts nothing else of theirs.
            let authority = person.home + "/authority.pem"
            _ = try await person.run(["install", "-m", "644", fixture.server.caFile, authority])
            return try await person.start(
                [BuiltFiles.script("in-podman.sh")] + options + settings.flatMap { ["--env", $0] } + [
                    "--volume=\(person.home)/run/gitspace/box:/run/gitspace:ro",
                    "--volume=\(authority):/tmp/authority.pem:ro", "--", "sh", "-c", command,
                ]
            ).ended(within: .seconds(60))
        }

        @Test("clones inside", arguments: [[], ["--userns=keep-id"]])
        func clone(options: [String]) async throws {
            let name = (["rootless"] + options).joined(separator: " ")
            guard let version = Self.version(tried: "a clone inside, \(name)") else { return }
            let fixture = try await EndToEndFixture()
            let person = try await Self.person(fixture)
            let command = "git clone --quiet \(fixture.address()) /tmp/clone && ls /tmp/clone"
            let end = try await Self.inside(options, command, person, fixture)
            #expect(end.status == 0 && end.output == "README.md\n", "\(end.output)\(end.errors)")
            WorldRow.add(.share, "podman", version, tried: "a clone inside, \(name)", result: "works")
        }

        @Test("clones, pushes and opens a pull request by a gateway without network and token, with the printed line")
        func gateway() async throws {
            let tried = "share, git inside with --network none"
            guard let version = Self.version(tried: tried) else { return }
            let fixture = try await EndToEndFixture()
            let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
            let person = try await Person(
                host: fixture.host, answer: "username=monalisa\npassword=\(token)\n", home: fixture.session.home,
                options: ["--repository", "acme/private", "--branch", "agent/*", "--pull-requests"])
            let lines = person.program.outputText.split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix("  podman run -it --rm --network none ") })
            let options = line.dropFirst("  podman run -it --rm ".count).dropLast("IMAGE".count)
            let script = """
                cd /tmp && git clone --quiet \(fixture.address()) work && cd work &&
                git -c user.name=m -c user.email=m@example.test commit --quiet --allow-empty -m inside &&
                git push -o merge_request.create -o merge_request.title=Inside origin HEAD:agent/inside && ! git push origin HEAD:main && ! ls /sys/class/net/eth0
                """
            let end = try await person.start([
                "sh", "-c", "exec \"$0\" \(options) -e HOME=/tmp -e GIT_CONFIG_NOSYSTEM=1 -- sh -c \"$1\"",
                BuiltFiles.script("in-podman.sh"), script,
            ]).ended(within: .seconds(60))
            #expect(end.status == 0 && end.errors.contains("only agent/* may be pushed"), "\(end.errors)")
            let refs = try fixture.github.git(["for-each-ref", "--format=%(refname)"], in: "acme/private")
            #expect(refs == "refs/heads/agent/inside\nrefs/heads/main\nrefs/pull/7/head\n")
            #expect(end.errors.contains("remote: gitspace: opened https://\(fixture.host)/acme/private/pull/7"))
            #expect(fixture.github.pullRequests().map(\.title) == ["Inside"])
            WorldRow.add(
                .share, "podman", version, tried: tried,
                result:
                    "clones, pushes what is allowed, opens a pull request, and is refused main; no token and no network inside"
            )
        }

        @Test("refuses another user who may connect, and logs the user ID")
        func anotherUser() async throws {
            let tried = "git inside, rootless --userns=keep-id --user 0"
            guard let version = Self.version(tried: tried) else { return }
            let fixture = try await EndToEndFixture()
            let person = try await Self.person(fixture)
            let ask = "git credential-cache --socket /run/gitspace/socket get"
            let end = try await Self.inside(["--userns=keep-id", "--user", "0"], ask, person, fixture)
            #expect(end.output.isEmpty, "\(end.output)")
            let line = "refused user 100000: only your own user and root may use this share"
            #expect(person.program.outputText.contains(line), "\(person.program.outputText)\(end.errors)")
            WorldRow.add(.share, "podman", version, tried: tried, result: "gets nothing, and the log names the user")
        }

        @Test("refuses the connection of a user without rights to the socket")
        func stranger() async throws {
            let tried = "git inside, rootless --user 1000"
            guard let version = Self.version(tried: tried) else { return }
            let fixture = try await EndToEndFixture()
            let person = try await Self.person(fixture)
            let ask = "git credential-cache --socket /run/gitspace/socket get"
            let end = try await Self.inside(["--user", "1000"], ask, person, fixture)
            #expect(end.output.isEmpty && !person.program.outputText.contains("refused user"), "\(end.output)")
            WorldRow.add(.share, "podman", version, tried: tried, result: "cannot connect, and gets nothing")
        }
    }

    /// An agent in a real bubblewrap, by the lines that `share` prints.
    @Suite("Sandboxes of bubblewrap")
    struct BubblewrapTests {
        private static let gits = Git.all + [Git.newest].compactMap(\.self)

        @Test("pushes a branch and opens its pull request, without network, token and variables", arguments: gits)
        func pullRequest(git: Git) async throws {
            let tried = "share --pull-requests, git inside"
            guard let bwrap = try? RunningProgram.run(["bwrap", "--version"]), bwrap.status == 0 else {
                WorldRow.notRun(.share, "bubblewrap", tried: tried, because: "it is not installed")
                return
            }
            let fixture = try await EndToEndFixture(git: git)
            let token = try await fixture.signedIn("monalisa")
            let program = try fixture.start([
                BuiltFiles.helper, "share", "agent", "--repository", fixture.address(), "--branch", "agent/*",
                "--pull-requests",
            ])
            let box = try await SharedBox(program, name: "agent", in: fixture)
            let script = """
                git clone --quiet \(fixture.address()) work && cd work &&
                git -c user.name=a -c user.email=a@example.test commit --quiet --allow-empty -m inside &&
                git push -o merge_request.create -o merge_request.title="Fix the login" origin HEAD:agent/fix &&
                git ls-remote origin "refs/pull/7/*" && ! grep --quiet eth0 /proc/net/dev &&
                cat /proc/1/environ /proc/self/environ >../variables && grep --quiet --text ^HOME= ../variables &&
                ! grep --quiet --text GH_TOKEN ../variables
                """
            let line = try box.printedLine("env -i ")
            let end = try await fixture.start(
                [
                    "sh", "-c",
                    "\(try box.printedLine("mkdir -p ")) && \(line.dropLast("bash".count)) sh -c '\(script)'",
                ], environment: ["GH_TOKEN": "ghp_outside"]
            ).ended(within: .seconds(60))
            let page = "https://\(fixture.host)/acme/private/pull/7"
            #expect(end.status == 0 && end.errors.contains("remote: gitspace: opened \(page)"), "\(end.errors)")
            #expect(end.output.hasSuffix("\trefs/pull/7/head\n") && !end.output.contains(token.accessToken))
            #expect(fixture.github.pullRequests().map(\.title) == ["Fix the login"])
            WorldRow.add(
                .share, "bubblewrap",
                bwrap.output.split(separator: " ").last.map { $0.trimmingCharacters(in: .newlines) } ?? "",
                tried: "\(tried) (\(git))",
                result: "pushes a branch, and its pull request is opened; no token and no network inside")
        }
    }
}
