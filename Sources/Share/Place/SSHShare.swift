internal import CredentialCore
internal import Glibc
internal import Helper
internal import System

/// A socket on another machine that one ssh process forwards to ours.
///
/// Its remote command creates the directory there, and cleans up at the end of its input, when we end for any reason or
/// the connection is lost. sshd never removes the socket, and a later forwarding to the same path would fail, so the
/// name is unique to this process. The other machine needs only a POSIX shell.
///
/// The other machine's output is checked: ssh expands its arguments (ssh_config(5), "TOKENS", "ENVIRONMENT VARIABLES"),
/// so its path could carry our variables to that machine.
final class SSHShare {
    /// The folder with the socket, on the other machine.
    let directory: String
    private let ssh: ChildProcess
    /// The test whether git there reaches the gateway; `nil` without a gateway, or once the test has ended.
    private var trial: GatewayTrial?

    /// The time limit for connecting, in milliseconds, including a password or a second factor.
    private static let patience: Int64 = 180_000
    /// The time limit for the forwarding, in milliseconds.
    private static let forwardPatience: Int64 = 15_000

    /// Connects and forwards, with `control` as the path for ssh's own local socket.
    ///
    /// `configuration` returns the lines of git's configuration for a folder there, none if the token is given; `report`
    /// shows messages of ssh and the other machine; `isInterrupted` is called while waiting for ssh.
    ///
    /// - Throws: a failure to connect, or a server that forbids the forwarding.
    init(
        _ destination: String, to socket: String, control: String, configuration: (String) -> [String],
        report: @escaping (Message) -> Void, isInterrupted: () -> Bool
    ) throws(UserFacingError) {
        let shown = DisplayText(trusted: destination)
        let name = Self.name
        let options = [
            "-T", "-a", "-x", "-S", control, "-o", "ControlMaster=yes", "-o", "ControlPersist=no",
            "-o", "RemoteCommand=none", "-o", "PermitLocalCommand=no", "-o", "ClearAllForwardings=yes", "-o",
            "ServerAliveInterval=15",
        ]
        var remarks = Remarks(destination: shown, report: report)
        guard
            let ssh = ChildProcess(
                ["ssh"] + options + ["--", destination, Self.script(name)], io: .pipes(errors: { remarks.show($0) }))
        else { throw Self.noConnection(to: shown) }
        func lost() -> UserFacingError {
            ssh.finish(within: 1_000)
            return Self.noConnection(to: shown)
        }
        guard let line = ssh.line(within: Self.patience, unless: isInterrupted) else { throw lost() }
        guard Self.isUsable(line), line.count + 1 + name.utf8.count <= UnixSocket.longestName else {
            ssh.finish(within: 1_000)
            throw UserFacingError(
                .share,
                Message("%1$s named a folder that cannot be used: \"%2$s\"", shown, DisplayText(untrusted: line)),
                Message(
                    "it must be a short absolute path of letters, digits and %1$s, and your shell there may print nothing before it",
                    ". _ / @ + -" as DisplayText))
        }
        directory = String(decoding: line, as: UTF8.self)
        self.ssh = ssh
        // Drop the person's settings, since ssh would request their forwardings as well.
        let forward = [
            "ssh", "-F", "/dev/null", "-S", control, "-O", "forward", "-R", "\(directory)/\(name):\(socket)", "--",
            destination,
        ]
        guard ChildProcess.output(of: forward, within: Self.forwardPatience) != nil else {
            ssh.finish(within: 5_000)
            throw UserFacingError(
                .share, Message("the SSH server on %1$s does not forward sockets", shown),
                Message("its administrator can allow it in sshd_config: AllowStreamLocalForwarding yes"))
        }
        let lines = configuration(directory)
        for line in lines + ["ready"] where !ssh.send(line: line, within: Self.forwardPatience) { throw lost() }
        // Wait for the script's answer: git there may run only after the script has made the links.
        guard ssh.line(within: Self.forwardPatience, unless: isInterrupted) != nil else { throw lost() }
        if !lines.isEmpty { trial = GatewayTrial(destination, over: control, in: directory, report) }
    }

    private static func noConnection(to destination: DisplayText) -> UserFacingError {
        UserFacingError(
            .share, Message("ssh did not connect to %1$s", destination), Message("check that this works:"),
            .command("ssh \(word: destination) true"))
    }

    /// Descriptors that become readable when ssh ends; checking for the end may close one.
    var numbers: [Int32] { ssh.numbers + (trial?.numbers ?? []) }

    var hasEnded: Bool {
        if trial?.hasEnded == true { trial = nil }
        return ssh.hasEnded
    }

    /// Ends ssh, and waits up to five seconds until the files there are removed.
    func end() { ssh.finish(within: 5_000) }

    /// Whether a path of the other machine is plain and absolute, so that ssh, a shell and a person read it alike.
    private static func isUsable(_ path: [UInt8]) -> Bool {
        path.first == UInt8(ascii: "/") && path.allSatisfy { ASCII.isLetterOrDigit($0) || "._/@+-".utf8.contains($0) }
            && !path.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }

    /// A unique name, understandable in a listing of the directory there.
    private static var name: String {
        var buffer = [CChar](repeating: 0, count: 65)
        gethostname(&buffer, 64)
        let host = buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }.prefix { $0 != 0x2e }
        let fit = host.map { ASCII.isLetterOrDigit($0) ? $0 : UInt8(ascii: "-") }.prefix(24)
        // The host's name must not come first: it may be empty, and commands would take the rest for an option.
        return "from-\(String(decoding: fit, as: UTF8.self))-\(getpid()).sock"
    }

    /// The remote script, without single quotes, since it is quoted for any kind of shell.
    ///
    /// The script reads git's configuration up to the line `ready`, which follows once the socket is forwarded. Then it
    /// links `socket` and `gitconfig` to its newest files, so that git has stable paths.
    private static func script(_ name: String) -> String {
        let steps = [
            "umask 077", "d=${XDG_RUNTIME_DIR:-$HOME/.cache}/gitspace", "mkdir -p \"$d\" || exit 1",
            "[ -O \"$d\" ] && chmod 700 \"$d\" && cd \"$d\" || exit 1",
            // Neither a hangup nor Ctrl-C may prevent the cleanup.
            "trap : HUP INT TERM PIPE", "pwd -P",
            "while IFS= read -r x && [ \"$x\" != ready ]; do printf \"%s\\n\" \"$x\"; done >\(name).git",
            "if [ -s \(name).git ]; then ln -sf \(name).git gitconfig; else rm -f \(name).git; fi",
            "[ \"$x\" = ready ] && ln -sf \(name) socket && echo ready", "cat >/dev/null", "rm -f \(name) \(name).git",
            "[ \"$(readlink socket)\" = \(name) ] && rm -f socket",
            "[ \"$(readlink gitconfig)\" = \(name).git ] && rm -f gitconfig",
            "[ -e socket ] || for s in *.sock; do [ -S \"$s\" ] && ln -sf \"$s\" socket; done",
            "[ -e gitconfig ] || for s in *.git; do [ -s \"$s\" ] && ln -sf \"$s\" gitconfig; done", ":",
        ]
        return "exec sh -c '\(steps.joined(separator: "; "))'"
    }
}

private struct Remarks {
    let destination: DisplayText
    let report: (Message) -> Void
    var line: [UInt8] = []
    /// The number of lines that are still shown; enough for ssh's longest warning, about a changed host key.
    var linesLeft = 16

    mutating func show(_ bytes: [UInt8]) {
        for byte in bytes where linesLeft > 0 {
            guard byte == UInt8(ascii: "\n") else {
                if line.count <= DisplayText.longest { line.append(byte) }
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if !line.isEmpty {
                linesLeft -= 1
                report(Message("%1$s, over ssh: %2$s", destination, DisplayText(untrusted: line)))
            }
            line = []
        }
    }
}

/// A run of git on the other machine, to test whether it reaches the gateway.
///
/// The path in its request is no repository, so no person is asked; the gateway's words in the answer prove success.
final class GatewayTrial {
    private let destination: DisplayText
    private let report: (Message) -> Void
    private var process: ChildProcess?
    private var output: [UInt8] = []

    /// The most bytes of git's output.
    private static let longest = 16_384

    init(_ destination: String, over control: String, in folder: String, _ report: @escaping (Message) -> Void) {
        self.destination = DisplayText(trusted: destination)
        self.report = report
        let address = "http://\(SOCKSHandshake.host)/gitspace"
        let configuration = "\(folder)/\(SharePlan.configurationFile)"
        let git = "GIT_TERMINAL_PROMPT=0 LC_ALL=C git -c include.path=\(configuration) ls-remote"
        let command = "exec sh -c '\(git) \(address) 1>&2'"
        // Never open a new connection: `-F /dev/null` drops the person's aliases, so the name may be another host's.
        process = ChildProcess(
            [
                "ssh", "-F", "/dev/null", "-T", "-S", control, "-o", "ControlMaster=no", "-o", "ProxyCommand=false",
                "--", destination, command,
            ],
            io: .pipes(errors: { [weak self] bytes in
                if let self, self.output.count < Self.longest { self.output += bytes }
            }))
    }

    var numbers: [Int32] { process?.numbers ?? [] }

    /// Whether the test has ended; reports a failure.
    var hasEnded: Bool {
        guard process?.hasEnded ?? true else { return false }
        process?.finish(within: 1_000)
        process = nil
        let words = String(decoding: output, as: UTF8.self)
        if words.contains("gitspace:") { return true }
        if words.contains("not found"), !words.contains("repository") {
            report(Message("%1$s has no git", destination))
        } else {
            // Without the command for a token: the person must weigh what a token cannot be limited to.
            report(
                Message(
                    "git on %1$s does not come through: it needs libcurl 7.84 or later. To share the token instead, see --token in the manual:",
                    destination))
            report(.command("man gitspace-share"))
        }
        return true
    }
}
