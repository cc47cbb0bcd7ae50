import Staging
import Testing

/// `share ssh` with a scripted `ssh`, which runs the host's part on this machine, and links what it would forward.
@Suite("share ssh: the host's part")
struct ShareSSHTests {
    private let fixture: EndToEndFixture
    private let remote: String
    /// The folder of the sockets on the host.
    private var folder: String { remote + "/gitspace" }

    init() async throws {
        fixture = try await GatewayTests.fixture().fixture
        remote = fixture.session.home + "/r"
        try await fixture.session.write(
            program: remote + "/ssh",
            """
            #!/bin/sh
            while [ $# -gt 1 ]; do
                [ "$1" != -R ] || exec ln -s "${2#*:}" "${2%%:*}"
                shift
            done
            export XDG_RUNTIME_DIR=\(remote) PATH="${REMOTE_PATH:-$PATH}"
            exec /bin/sh -c "$1"
            """)
    }

    private func share(_ host: String, environment: [String: String] = [:]) async throws -> SharedBox {
        let words = ["share", "ssh", host, "--host", fixture.host, "--confirm", "never"]
        return try await SharedBox(
            fixture.start(
                [BuiltFiles.helper] + words,
                environment: ["PATH": fixture.session.path(remote)].merging(environment) { $1 }),
            name: "ssh-\(host)", in: fixture)
    }

    private func target(of link: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(link)")
    }

    @Test("removes its own socket on the host at its end, and no other share's")
    func ends() async throws {
        var boxes: [SharedBox] = []
        for host in ["one", "two", "three"] { boxes.append(try await share(host)) }
        func isNewest(_ box: SharedBox) -> Bool {
            target(of: "socket")?.hasSuffix("-\(box.program.id).sock") == true
                && target(of: "gitconfig")?.hasSuffix("-\(box.program.id).sock.git") == true
        }
        #expect(isNewest(boxes[2]))
        // git there uses the newest one, before and after another one's end.
        for box in [boxes[1], boxes[2]] {
            #expect(try await box.interrupt().status == 0)
            let rest = boxes.filter { $0.program.isRunning }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.count == 2 + 2 * rest.count && isNewest(rest[rest.count - 1]), "\(left)")
        }
        let listed = try await fixture.session.run(
            ["git", "-c", "include.path=\(folder)/gitconfig", "ls-remote", fixture.address()])
        #expect(listed.status == 0 && listed.output.contains("refs/heads/main"), "\(listed.errors)")
        #expect(try await boxes[0].interrupt().status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test("says that the host has no git")
    func noGit() async throws {
        let programs = ["sh", "mkdir", "chmod", "ln", "rm", "cat", "readlink"]
        let link = "mkdir \(remote)/bin && for p; do ln -s \"$(command -v $p)\" \(remote)/bin; done"
        #expect(try await fixture.session.run(["bash", "-c", link, "link"] + programs).status == 0)
        let box = try await share("bare", environment: ["REMOTE_PATH": remote + "/bin"])
        try await eventually("words about git", by: box.program) { box.program.errorText.contains("git") }
        let end = try await box.interrupt()
        #expect(end.status == 0 && end.errors.contains("bare has no git\n"), "\(end.errors)")
    }
}
