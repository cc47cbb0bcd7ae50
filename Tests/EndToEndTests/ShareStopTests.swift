import Staging
import Testing

/// A PID namespace, out of which signals reach only our own process group.
private enum PIDNamespace {
    /// Runs a command in a PID namespace, with a process group of its own (`RunningProgram`).
    static let command = ["unshare", "--pid", "--fork", "--"]

    /// Whether the tests can create one on this machine.
    static let isAvailable = (try? RunningProgram.run(command + ["true"]).status) == 0
}

@Suite(
    "share stop: in another PID namespace",
    .enabled(
        if: PIDNamespace.isAvailable, "needs root: in a user namespace of one's own the folders of root are nobody's"))
struct ShareStopTests {
    /// Stops and lists the share from inside, beside a process that must go on.
    private static func stop(_ fixture: EndToEndFixture) async throws -> RunningProgram.End {
        let script = "sleep 600 & \"$0\" share stop box; \"$0\" share list; kill $! && echo alive"
        return try await fixture.start(PIDNamespace.command + ["sh", "-c", script, BuiltFiles.helper]).ended()
    }

    @Test("ends no process, keeps the share outside, and prints where to stop it")
    func outside() async throws {
        let (fixture, _) = try await ShareTests.fixture()
        let box = try await SharedBox(fixture)
        let end = try await Self.stop(fixture)
        #expect(end.errors.contains("\"box\" is shared by a process that cannot be stopped from here"), "\(end)")
        #expect(end.errors.contains("  git credential-gitspace share stop box\n"), "\(end)")
        #expect(end.output.hasPrefix("box: \(fixture.host)\n") && end.output.hasSuffix("alive\n"), "\(end)")
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)").contains("password="))
        #expect(try await box.interrupt().status == 0)
    }

    @Test("ends no process if the lock belongs to an open file")
    func openFile() async throws {
        let (fixture, _) = try await ShareTests.fixture()
        let box = try await SharedBox(fixture)
        _ = try await box.interrupt()
        let record = open(box.directory.replacing("/box", with: "/.box.share"), O_RDWR | O_CLOEXEC)
        defer { close(record) }
        // The lock is F_OFD_SETLK of fcntl(2).
        var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
        #expect(fcntl(record, 37, &lock) == 0)
        let end = try await Self.stop(fixture)
        #expect(end.errors.contains("\"box\" is shared by a process that cannot be stopped from here"), "\(end)")
        #expect(end.output.hasSuffix("alive\n"), "\(end)")
    }
}
