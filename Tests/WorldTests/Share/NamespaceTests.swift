import Staging
import Testing

extension Share {
    /// User namespaces as container engines make them, made by Tests/Support/in-namespace.sh.
    ///
    /// The person outside is user 2000.
    @Suite("Namespaces of containers", .enabled(if: geteuid() == 0, "only root can make these namespaces"))
    struct NamespaceTests {
        /// One way in which an engine runs a container.
        struct Engine: Sendable, CustomTestStringConvertible {
            let name: String
            /// The lines of the user namespace's map; empty for no namespace.
            let map: [String]
            /// The user inside who asks.
            let user: Int
            let isServed: Bool
            /// The user ID that the log names if the client may connect but is refused.
            var refused: Int?
            var testDescription: String { "\(name), user \(user)" }
        }

        private static let rootless = ["0 2000 1", "1 100000 65536"]
        private static let keepID = ["0 100000 2000", "2000 2000 1", "2001 102000 60000"]

        static let engines = [
            Engine(name: "rootless", map: rootless, user: 0, isServed: true),
            Engine(name: "rootless", map: rootless, user: 1_000, isServed: false),
            Engine(name: "rootless --userns=keep-id", map: keepID, user: 2_000, isServed: true),
            // Root inside may connect, since it overrides permissions; outside, its user ID is not the person's.
            Engine(name: "rootless --userns=keep-id", map: keepID, user: 0, isServed: false, refused: 100_000),
            Engine(name: "as root", map: [], user: 0, isServed: true),
            Engine(name: "as root, --user", map: [], user: 2_000, isServed: true),
            Engine(name: "as root, --user", map: [], user: 1_000, isServed: false),
            Engine(name: "as root, userns-remap", map: ["0 231072 65536"], user: 0, isServed: false),
        ]

        @Test("serves the credential only in containers where the user is the person", arguments: engines)
        func served(engine: Engine) async throws {
            let person = try await Person()
            let ask = ["git", "credential-cache", "--socket", "/run/gitspace/socket", "get"]
            let end = try await person.startInside(engine, ask).ended()
            #expect(end.output == (engine.isServed ? Person.answer : ""), "\(end.errors)\(person.program.outputText)")
            if let number = engine.refused {
                let line = "refused user \(number): only your own user and root may use this share"
                #expect(person.program.outputText.contains(line), "\(person.program.outputText)")
            }
            WorldRow.add(
                .share, "namespaces", "", tried: "git inside, engine \(engine.name), user \(engine.user)",
                result: engine.isServed ? "gets the token" : "gets nothing")
        }

        @Test("survives a restart of the listener in a read-only mount, whose socket nobody inside can replace")
        func readOnly() async throws {
            let person = try await Person()
            let root = Self.engines[0]
            let steps = """
                rm -f /run/gitspace/socket 2>/dev/null && echo removed
                ask() { git credential-cache --socket /run/gitspace/socket get; }
                lines='protocol=https\\nhost=ghe.test\\n'
                printf "$lines" | ask
                touch "$0/first"; while [ ! -e "$0/stopped" ]; do sleep 0.02; done
                printf "${lines}username=mona\\npassword=planted\\n" | git credential-cache --socket /run/gitspace/socket store 2>/dev/null
                ls -A /run/gitspace
                touch "$0/second"; while [ ! -e "$0/started" ]; do sleep 0.02; done
                printf "$lines" | ask
                """
            let marks = person.home + "/marks"
            _ = try await person.run(["mkdir", "-m", "0777", marks])
            let inside = try person.startInside(root, ["sh", "-c", steps, marks])
            try await eventually("the first answer: \(inside.errorText)", by: inside) {
                FileManager.default.fileExists(atPath: marks + "/first")
            }
            person.program.signal(SIGTERM)
            _ = try await person.program.ended()
            _ = try await person.run(["touch", marks + "/stopped"])
            try await eventually("an empty directory") { FileManager.default.fileExists(atPath: marks + "/second") }
            let again = try await person.share()
            _ = try await person.run(["touch", marks + "/started"])
            #expect(try await inside.ended().output == Person.answer + Person.answer, "\(inside.errorText)")
            withExtendedLifetime(again) {}
        }

        /// toolbox and distrobox share home, runtime directory, bus and user (their `create.go` and
        /// `distrobox-create`), so nothing needs to be shared.
        @Test("reads the host's keyring by the front door alone if home, bus and user are the host's")
        func toolbox() async throws {
            let fixture = try await EndToEndFixture()
            let token = try await fixture.signedIn("monalisa", expiringIn: 7_200)
            let home = fixture.session.home
            let folder = home.dropLast("/home".count)
            let end = try await fixture.start(
                [
                    BuiltFiles.script("in-namespace.sh"), "--map", "0 0 1", "--root", "--bind", "\(folder):\(folder)",
                    "--bind", "\(BuiltFiles.helper):/usr/bin/git-credential-gitspace:ro", "--",
                    "/usr/bin/git-credential-gitspace", "get",
                ], input: fixture.request
            ).ended()
            #expect(end.output.contains("password=\(token.accessToken)\n"), "\(end.errors)")
            WorldRow.add(
                .share, "namespaces", "",
                tried: "as toolbox and distrobox: home, bus and user of the host, nothing else",
                result: "the host's keyring answers, nothing is shared")
        }
    }

    /// A container of a real podman, started without root: Tests/Support/in-podman.sh.
    @Suite("Containers of rootless podman", .enabled(if: geteuid() == 0, "only root can become the user 2000"))
    struct PodmanTests {
        private static func version(tried: String) -> String? {
            let version = Client.version("podman", "--version")
            if version == nil { WorldRow.notRun(.share, "podman", tried: tried, because: "it is not installed") }
            return version
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

        /// A user who may connect is refused, and the log names the user's ID; one without rights to the socket cannot.
        @Test(
            "gives another user nothing, and logs the ID of one who may connect",
            arguments: [["--userns=keep-id", "--user", "0"], ["--user", "1000"]])
        func anotherUser(options: [String]) async throws {
            let tried = "git inside, rootless \(options.joined(separator: " "))"
            guard let version = Self.version(tried: tried) else { return }
            let fixture = try await EndToEndFixture()
            let person = try await Self.person(fixture)
            let ask = "git credential-cache --socket /run/gitspace/socket get"
            let end = try await Self.inside(options, ask, person, fixture)
            #expect(end.output.isEmpty, "\(end.output)")
            let mayConnect = options.count > 2
            let line = "refused user \(mayConnect ? "100000: only your own user and root may use this share" : "")"
            #expect(person.program.outputText.contains(line) == mayConnect, "\(person.program.outputText)\(end.errors)")
            WorldRow.add(
                .share, "podman", version, tried: tried,
                result: mayConnect ? "gets nothing, and the log names the user" : "cannot connect, and gets nothing")
        }
    }

    /// An agent in a real bubblewrap, by the lines that `share` prints.
    @Suite("Sandboxes of bubblewrap")
    struct BubblewrapTests {
        private static let gits = Git.all + [Git.newest].compactMap(\.self)

        @Test("pushes a branch and opens its pull request, without network, token and variables", arguments: gits)
        func pullRequest(git: Git) async throws {
            let tried = "share --pull-requests, git inside"
            guard let version = Client.version("bwrap", "--version") else {
                return WorldRow.notRun(.share, "bubblewrap", tried: tried, because: "it is not installed")
            }
            let fixture = try await EndToEndFixture(git: git)
            let token = try await fixture.signedIn("monalisa")
            let options = ["--repository", fixture.address(), "--branch", "agent/*", "--pull-requests"]
            let program = try fixture.start([BuiltFiles.helper, "share", "agent"] + options)
            let box = try await SharedBox(program, name: "agent", in: fixture)
            let script = """
                git clone --quiet \(fixture.address()) work && cd work &&
                git -c user.name=a -c user.email=a@example.test commit --quiet --allow-empty -m inside &&
                git push -o merge_request.create -o merge_request.title="Fix the login" origin HEAD:agent/fix &&
                git ls-remote origin "refs/pull/7/*" && ! grep --quiet eth0 /proc/net/dev &&
                cat /proc/1/environ /proc/self/environ >../variables && grep --quiet --text ^HOME= ../variables &&
                ! grep --quiet --text GH_TOKEN ../variables
                """
            let line = try box.printedLine("env -i ").dropLast("bash".count)
            let command = "\(try box.printedLine("mkdir -p ")) && \(line) sh -c '\(script)'"
            let end = try await fixture.start(["sh", "-c", command], environment: ["GH_TOKEN": "ghp_outside"])
                .ended(within: .seconds(60))
            let page = "https://\(fixture.host)/acme/private/pull/7"
            #expect(end.status == 0 && end.errors.contains("remote: gitspace: opened \(page)"), "\(end.errors)")
            #expect(end.output.hasSuffix("\trefs/pull/7/head\n") && !end.output.contains(token.accessToken))
            #expect(fixture.github.pullRequests().map(\.title) == ["Fix the login"])
            WorldRow.add(
                .share, "bubblewrap", version, tried: "\(tried) (\(git))",
                result: "pushes a branch, and its pull request is opened; no token and no network inside")
        }
    }
}

extension Person {
    /// Starts a program in a container, with the directory mounted as the printed lines say.
    func startInside(_ engine: Share.NamespaceTests.Engine, _ command: [String]) throws -> RunningProgram {
        let options =
            engine.map.flatMap { ["--map", $0] } + ["--user", "\(engine.user)"]
            + ["--bind", "\(home)/run/gitspace/box:/run/gitspace:ro"]
        return try start([BuiltFiles.script("in-namespace.sh")] + options + ["--"] + command)
    }
}
