import Staging
import Testing

/// The unavoidable window: the server has answered, and the keyring does not have the new pair yet.
@Suite("The window between answer and save")
struct SaveWindowTests {
    /// Whether strace(1) is installed and may trace: only root can trace a program that protects its memory.
    private static let canTrace =
        geteuid() == 0 && (try? RunningProgram.run(["strace", "-o", "/dev/null", "true"]).status) == 0

    @Test(
        "sends a handful of messages to the keyring in the window, and does nothing else",
        .enabled(if: canTrace, "only root can trace what protects its memory, by strace"))
    func width() async throws {
        let rotation = try await Rotation()
        // The first refresh adds the grant's lines to the item; later ones are typical.
        _ = try await rotation.fixture.helper("get")
        for _ in 1...5 {
            try await rotation.expire()
            let (messages, milliseconds) = try await window(rotation.fixture)
            print("window between answer and save: \(messages) messages in \(milliseconds) ms, traced")
            #expect(messages <= 12)
        }
    }

    /// Counts messages and milliseconds from the server's last bytes to the message that saves the pair, inclusive.
    private func window(_ fixture: EndToEndFixture) async throws -> (messages: Int, milliseconds: Double) {
        let trace = fixture.session.home + "/trace"
        let calls = "trace=read,recvfrom,recvmsg,write,sendto,sendmsg,connect,openat,execve"
        let end = try await fixture.start(
            ["strace", "-f", "-ttt", "-s", "600", "-e", calls, "-o", trace, BuiltFiles.helper, "get"],
            input: fixture.request
        ).ended()
        #expect(end.output.contains("password=ghu_"), "\(end.errors)")
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let save = try #require(lines.lastIndex { $0.contains("sendmsg(") && $0.contains("SetSecret") })
        let connect = try #require(lines.lastIndex { $0.contains("connect(") && $0.contains("AF_INET") })
        let socket = try #require(lines[connect].split(separator: "connect(").last?.prefix { $0.isNumber })
        let receipts = lines[..<save].indices.filter { position in
            lines[position].contains("read(\(socket),") || lines[position].contains("recvfrom(\(socket),")
        }
        let answer = try #require(receipts.last { !lines[$0].contains(" = -1 ") && !lines[$0].hasSuffix(" = 0") })
        // Nothing is opened or executed in between: all preparation has been done.
        let others = lines[answer..<save].filter { $0.contains("openat(") || $0.contains("execve(") }
        #expect(others.isEmpty)
        if let folder = ProcessInfo.processInfo.environment["FAULT_TRACES"] {
            try lines[answer...save].joined(separator: "\n").write(toFile: folder, atomically: true, encoding: .utf8)
        }
        let messages = lines[answer...save].count { $0.contains("sendmsg(") || $0.contains("sendto(") }
        return (messages, (try seconds(lines[save]) - seconds(lines[answer])) * 1_000)
    }

    /// The time in a line of `strace -f -ttt`: process, seconds, call.
    private func seconds(_ line: Substring) throws -> Double {
        let fields = line.split(separator: " ", maxSplits: 2)
        return try #require(fields.count == 3 ? Double(fields[1]) : nil)
    }
}
