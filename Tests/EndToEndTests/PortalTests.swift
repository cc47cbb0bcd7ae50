import Staging
import Testing

/// A sandbox in which GIO opens pages by the desktop's portal.
@Suite("Portal for pages")
struct PortalTests {
    private let page = "https://host.example/login/device"

    /// Returns the child that opens the page without an installed browser.
    private func command(_ session: Session) -> (arguments: [String], environment: [String: String]) {
        let folder = session.home + "/none"
        // The second variable is GLib's name for it since 2.84.
        let environment = [
            "GTK_USE_PORTAL": "1", "GIO_USE_PORTALS": "1", "XDG_DATA_HOME": folder, "XDG_DATA_DIRS": folder,
            "XDG_CONFIG_DIRS": folder,
        ]
        return ([BuiltFiles.helper, "open-page", page], environment)
    }

    @Test("opens the page by the portal, and exits with its result", arguments: [("opens", 0), ("refuses", 1)])
    func answers(mode: String, status: Int32) async throws {
        let session = try await Session(.noProvider)
        let portal = try await ScriptedBusService(.portal, mode, in: session)
        let (arguments, environment) = command(session)
        let end = try await session.run(arguments, environment: environment)
        #expect(end.status == status && end.output.isEmpty && end.errors.isEmpty, "\(end)")
        #expect(portal.lines == [page])
    }

    @Test("ends the child after a minute if the portal never answers", .enabled(if: geteuid() == 0, "needs root"))
    func silent() async throws {
        let session = try await Session(.noProvider)
        let portal = try await ScriptedBusService(.portal, "silent", in: session)
        let (arguments, environment) = command(session)
        let trace = session.home + "/trace"
        let strace = ["strace", "-f", "-e", "trace=alarm,setitimer", "-e", "signal=none", "-o", trace]
        let program = try session.start(strace + arguments, environment: environment)
        try await eventually("a request") { portal.lines == [page] }
        let calls = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(calls.contains("alarm(60)") || calls.contains("tv_sec=60"), "\(calls)")
        for child in program.processes where child != program.id { kill(child, SIGALRM) }
        #expect(try await program.ended().status == 128 + SIGALRM)
    }
}
