import Foundation
import Glibc
import Staging
import StandIn
import Testing

extension Share {
    /// User namespaces as engines make them, by hand: Tests/Support/in-namespace.py.
    ///
    /// The person is user 2000.
    @Suite("In the namespaces of containers", .enabled(if: geteuid() == 0, "only root can make these namespaces"))
    struct NamespaceTests {
        /// How an engine runs a container.
        struct Engine: Sendable, CustomTestStringConvertible {
            let name: String
            /// The lines of the user namespace's map; none for no namespace.
            let map: [String]
            /// Who asks, inside.
            let user: Int
            /// Whether git gets the credential.
            let isServed: Bool

            var testDescription: String { "\(name), user \(user)" }
        }

        private static let rootless = ["0 2000 1", "1 100000 65536"]
        private static let keepID = ["0 100000 2000", "2000 2000 1", "2001 102000 60000"]

        static let engines = [
            Engine(name: "rootless", map: rootless, user: 0, isServed: true),
            Engine(name: "rootless", map: rootless, user: 1_000, isServed: false),
            Engine(name: "rootless --userns=keep-id", map: keepID, user: 2_000, isServed: true),
            // It may connect, since it may override permissions; the kernel names a user that is none of ours.
            Engine(name: "rootless --userns=keep-id", map: keepID, user: 0, isServed: false),
            Engine(name: "as root", map: [], user: 0, isServed: true),
            Engine(name: "as root, --user", map: [], user: 2_000, isServed: true),
            Engine(name: "as root, --user", map: [], user: 1_000, isServed: false),
            Engine(name: "as root, userns-remap", map: ["0 231072 65536"], user: 0, isServed: false),
        ]

        @Test("who gets the credential in which container", arguments: engines)
        func served(engine: Engine) async throws {
            let person = try await Person()
            let end = try await person.inside(
                engine, ["git", "credential-cache", "--socket", "/run/gitspace/socket", "get"])
            #expect(end.output == (engine.isServed ? Person.answer : ""), "\(end.errors)\(person.program.outputText)")
            WorldRow.add(
                .share, "namespaces", "", tried: "git inside, engine \(engine.name), user \(engine.user)",
                result: engine.isServed ? "gets the token" : "gets nothing")
        }

        @Test("a directory that is mounted read-only outlives the listener, and nobody inside can take its place")
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
            try await eventually("the first answer: \(inside.errorText)") {
                FileManager.default.fileExists(atPath: marks + "/first") ? 1 : nil
            }
            person.program.signal(SIGTERM)
            _ = try await person.program.ended()
            _ = try await person.run(["touch", marks + "/stopped"])
            try await eventually("an empty directory") {
                FileManager.default.fileExists(atPath: marks + "/second") ? 1 : nil
            }
            let again = try await person.share()
            _ = try await person.run(["touch", marks + "/started"])
            #expect(try await inside.ended().output == Person.answer + Person.answer, "\(inside.errorText)")
            withExtendedLifetime(again) {}
        }

        /// toolbox and distrobox share the home, the runtime directory and the bus, and keep the user (their sources,
        /// `create.go` and `distrobox-create`): there is nothing to share.
        @Test("where home, bus and user are the host's, the front door alone reads the host's keyring")
        func toolbox() async throws {
            let fixture = try await EndToEndFixture()
            let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
            try await fixture.remember(token, expiringIn: 7_200)
            let home = fixture.session.home
            let session = URL(filePath: home).deletingLastPathComponent().path()
            let folder = session.hasSuffix("/") ? String(session.dropLast()) : session
            let end = try await fixture.start(
                [
                    BuiltFiles.script("in-namespace.py"), "--map", "0 0 1", "--root", "--bind", "\(folder):\(folder)",
                    "--bind",
                    "\(BuiltFiles.helper):/usr/bin/git-credential-gitspace:ro", "--",
                    "/usr/bin/git-credential-gitspace", "get",
                ], input: "protocol=https\nhost=\(fixture.host)\n"
            ).ended()
            #expect(end.output.contains("password=\(token.accessToken)\n"), "\(end.errors)")
            WorldRow.add(
                .share, "namespaces", "",
                tried: "as toolbox and distrobox: home, bus and user of the host, nothing else",
                result: "the host's keyring answers, nothing is shared")
        }
    }
}

/// Somebody with the number 2000 who shares a password of a host, kept in git's memory: the keyring is the tests' own.
private final class Person: Sendable {
    static let answer = "username=mona\npassword=typed\n"

    let home: String
    let program: RunningProgram
    private let session: Session
    private let folder: String
    private let environment: [String: String]

    init() async throws {
        session = try await Session(.noBus)
        folder = FileManager.default.temporaryDirectory.appending(path: "person-\(UUID().uuidString.prefix(8))").path
        home = folder + "/home"
        let bin = folder + "/bin"
        // Where the programs were built, others need not be able to look.
        let prepare = """
            mkdir -p -m 0755 "$0" "$0/bin" && mkdir -m 0700 "$0/home" "$0/home/run" && chown -R 2000:2000 "$0/home"
            cp "$1" "$1-full" "$0/bin/"
            """
        let end = try await session.run(["sh", "-c", prepare, folder, BuiltFiles.helper])
        guard end.status == 0 else { throw NeverHappened(description: end.errors) }
        environment = [
            "PATH": "\(bin):\(session.environment["PATH"] ?? "")", "HOME": home, "XDG_RUNTIME_DIR": home + "/run",
            "GITSPACE_STORE": "cache", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
        ]
        let request = try UnnamedFile(contents: Array("protocol=https\nhost=ghe.test\n\(Self.answer)".utf8))
        let store = try await RunningProgram(
            Self.asPerson(["git-credential-gitspace", "store"]), environment: environment, input: request.descriptor,
            surroundings: request
        ).ended()
        guard store.status == 0 else { throw NeverHappened(description: store.errors) }
        program = try await Self.share(environment)
    }

    deinit {
        program.signal(SIGTERM)
        program.waitUntilEnded()
        _ = try? RunningProgram.run(Self.asPerson(["git", "credential-cache", "exit"]), environment: environment)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Shares the place once more.
    func share() async throws -> RunningProgram { try await Self.share(environment) }

    private static func share(_ environment: [String: String]) async throws -> RunningProgram {
        let nothing = try UnnamedFile(contents: [])
        let program = try RunningProgram(
            asPerson(["git-credential-gitspace", "share", "box", "--host", "ghe.test", "--long-lived"]),
            environment: environment, input: nothing.descriptor, surroundings: nothing)
        try await eventually("sharing: \(program.errorText)") { program.outputText.contains("To stop") ? true : nil }
        return program
    }

    private static func asPerson(_ command: [String]) -> [String] {
        ["setpriv", "--reuid=2000", "--regid=2000", "--clear-groups"] + command
    }

    /// Runs a program as root, outside.
    func run(_ command: [String]) async throws -> RunningProgram.End { try await session.run(command) }

    /// Runs a program in a container, to its end.
    func inside(_ engine: Share.NamespaceTests.Engine, _ command: [String]) async throws -> RunningProgram.End {
        try await startInside(engine, command).ended()
    }

    /// Starts a program in a container, with the directory where the printed lines mount it.
    func startInside(_ engine: Share.NamespaceTests.Engine, _ command: [String]) throws -> RunningProgram {
        let options =
            engine.map.flatMap { ["--map", $0] } + ["--user", "\(engine.user)"]
            + ["--bind", "\(home)/run/gitspace/box:/run/gitspace:ro"]
        return try session.start(
            [BuiltFiles.script("in-namespace.py")] + options + ["--"] + command,
            input: "protocol=https\nhost=ghe.test\n")
    }
}
