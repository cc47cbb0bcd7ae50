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
            let end = try await person.inside(
                engine, ["git", "credential-cache", "--socket", "/run/gitspace/socket", "get"])
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
            let session = URL(filePath: home).deletingLastPathComponent().path()
            let folder = session.hasSuffix("/") ? String(session.dropLast()) : session
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
}

extension Person {
    /// Runs a program in a container to its end.
    func inside(_ engine: Share.NamespaceTests.Engine, _ command: [String]) async throws -> RunningProgram.End {
        try await startInside(engine, command).ended()
    }

    /// Starts a program in a container, with the directory mounted as the printed lines say.
    func startInside(_ engine: Share.NamespaceTests.Engine, _ command: [String]) throws -> RunningProgram {
        let options =
            engine.map.flatMap { ["--map", $0] } + ["--user", "\(engine.user)"]
            + ["--bind", "\(home)/run/gitspace/box:/run/gitspace:ro"]
        return try start([BuiltFiles.script("in-namespace.sh")] + options + ["--"] + command)
    }
}
