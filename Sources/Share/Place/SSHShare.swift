internal import CredentialCore
internal import Glibc
internal import Helper
internal import System

/// A socket on another machine that leads to ours: OpenSSH's forwarding, for as long as one ssh process runs.
///
/// That ssh process is the master of the connection, creates the directory there, and cleans up: its remote command
/// waits for the end of its input, which comes when we end for whatever reason, or when the connection is lost. sshd
/// itself never removes the socket, and a later forwarding to the same path would fail; so the name is unique to this
/// process. The other machine needs only a POSIX shell, and no change to sshd's configuration.
///
/// Whatever the other machine writes is data: ssh expands what stands in its arguments (ssh_config(5), "TOKENS",
/// "ENVIRONMENT VARIABLES"), and its answer would put our variables into the path that ssh sends there.
final class SSHShare {
    /// The folder there in which the socket is.
    let directory: String
    private let ssh: ChildProcess
    /// Whether git there comes through; nil once that is known, or where it has nothing to come through.
    private var trial: GatewayTrial?

    /// For connecting, in milliseconds; includes the time to enter a password or a second factor.
    private static let patience: Int64 = 180_000
    /// For the forwarding once connected, in milliseconds.
    private static let forwardPatience: Int64 = 15_000

    /// Connects and forwards.
    ///
    /// - Parameters:
    ///   - destination: in ssh's syntax.
    ///   - socket: the local socket.
    ///   - control: where ssh may put its own local socket.
    ///   - configuration: the lines of git's configuration for a folder there; none for a token.
    ///   - report: shows what ssh and the other machine say.
    ///   - isInterrupted: called while waiting for ssh.
    /// - Throws: that ssh got not there, or that its server forwards nothing.
    init(
        _ destination: String, to socket: String, control: String, configuration: (String) -> [String],
        report: @escaping (Message) -> Void,
        isInterrupted: () -> Bool
    ) throws(UserFacingError) {
        let shown = DisplayText(trusted: destination)
        let name = Self.name
        let options = [
            "-T", "-a", "-x", "-S", control, "-o", "ControlMaster=yes", "-o", "ControlPersist=no",
            "-o", "RemoteCommand=none", "-o", "PermitLocalCommand=no", "-o", "ClearAllForwardings=yes", "-o",
            "ServerAliveInterval=15",
        ]
        var remarks = Remarks(of: shown, report)
        guard
            let ssh = ChildProcess(
                ["ssh"] + options + ["--", destination, Self.script(name)], io: .pipes(errors: { remarks.show($0) }))
        else { throw Self.noConnection(to: shown) }
        guard let line = ssh.line(within: Self.patience, unless: isInterrupted) else {
            ssh.finish(within: 1_000)
            throw Self.noConnection(to: shown)
        }
        guard Self.isUsable(line), line.count + 1 + name.utf8.count <= UnixSocket.longestName else {
            ssh.finish(within: 1_000)
            throw UserFacingError(
                .share,
                Message("%1$s named a folder that cannot be used: \"%2$s\"", shown, DisplayText(untrusted: line)),
                [
                    Message(
                        "it must be a short absolute path of letters, digits and %1$s, and your shell there may print nothing before it",
                        ". _ / @ + -" as DisplayText)
                ])
        }
        directory = String(decoding: line, as: UTF8.self)
        self.ssh = ssh
        // Without the person's settings, whose forwardings would be asked for as well.
        let forward = [
            "ssh", "-F", "/dev/null", "-S", control, "-O", "forward", "-R", "\(directory)/\(name):\(socket)", "--",
            destination,
        ]
        guard ChildProcess.output(of: forward, within: Self.forwardPatience) != nil else {
            ssh.finish(within: 5_000)
            throw UserFacingError(
                .share, Message("the SSH server on %1$s does not forward sockets", shown),
                [Message("its administrator can allow it in sshd_config: AllowStreamLocalForwarding yes")])
        }
        let lines = configuration(directory)
        for line in lines + ["ready"] where !ssh.send(line: line, within: Self.forwardPatience) {
            ssh.finish(within: 1_000)
            throw Self.noConnection(to: shown)
        }
        // The script's answer: git there may run only after the script has made the links.
        guard ssh.line(within: Self.forwardPatience, unless: isInterrupted) != nil else {
            ssh.finish(within: 1_000)
            throw Self.noConnection(to: shown)
        }
        if !lines.isEmpty { trial = GatewayTrial(destination, over: control, in: directory, report) }
    }

    private static func noConnection(to destination: DisplayText) -> UserFacingError {
        UserFacingError(
            .share, Message("ssh did not connect to %1$s", destination),
            [Message("check that this works:"), .command("ssh \(word: destination) true")])
    }

    /// Descriptors of which one becomes readable when it ends; looking whether it has may close one.
    var numbers: [Int32] { ssh.numbers + (trial?.numbers ?? []) }

    var hasEnded: Bool {
        if trial?.hasEnded == true { trial = nil }
        return ssh.hasEnded
    }

    /// Waits until what it created there is gone.
    func end() { ssh.finish(within: 5_000) }

    /// Whether a directory that the other machine names is a plain absolute path, which means the same to ssh, to a shell
    /// and to a person.
    private static func isUsable(_ path: [UInt8]) -> Bool {
        path.first == UInt8(ascii: "/")
            && path.allSatisfy { ASCII.isLetterOrDigit($0) || "._/@+-".utf8.contains($0) }
            && !path.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }

    /// Unique to this process, and understandable to a person who lists the directory there.
    private static var name: String {
        var buffer = [CChar](repeating: 0, count: 65)
        gethostname(&buffer, 64)
        let host = buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }.prefix { $0 != 0x2e }
        let fit = host.map { ASCII.isLetterOrDigit($0) ? $0 : UInt8(ascii: "-") }.prefix(24)
        // Not the host's name first, which may be empty: a command would take the rest for an option.
        return "from-\(String(decoding: fit, as: UTF8.self))-\(getpid()).sock"
    }

    /// The remote script; it contains no single quote, since it is quoted for the person's own shell of any kind.
    ///
    /// The name `socket` points to the newest socket, so that an unmodified git has a stable path; and `gitconfig` to
    /// what has been written for it, up to the line that tells that it is forwarded.
    private static func script(_ name: String) -> String {
        let steps = [
            "umask 077", "d=${XDG_RUNTIME_DIR:-$HOME/.cache}/gitspace", "mkdir -p \"$d\" || exit 1",
            "[ -O \"$d\" ] && chmod 700 \"$d\" && cd \"$d\" || exit 1",
            // Neither a hangup nor Ctrl-C may prevent the cleanup.
            "trap : HUP INT TERM PIPE", "pwd -P",
            "while IFS= read -r x && [ \"$x\" != ready ]; do printf \"%s\\n\" \"$x\"; done >\(name).git",
            "if [ -s \(name).git ]; then ln -sf \(name).git gitconfig; else rm -f \(name).git; fi",
            "[ \"$x\" = ready ] && ln -sf \(name) socket && echo ready",
            "cat >/dev/null", "rm -f \(name) \(name).git",
            "[ \"$(readlink socket)\" = \(name) ] && rm -f socket",
            "[ \"$(readlink gitconfig)\" = \(name).git ] && rm -f gitconfig",
            "[ -e socket ] || for s in *.sock; do [ -S \"$s\" ] && ln -sf \"$s\" socket; done",
            "[ -e gitconfig ] || for s in *.git; do [ -s \"$s\" ] && ln -sf \"$s\" gitconfig; done", ":",
        ]
        return "exec sh -c '\(steps.joined(separator: "; "))'"
    }
}

/// What comes to standard error over a connection: ssh's own messages, and whatever the other machine writes there.
private struct Remarks {
    private let destination: DisplayText
    private let report: (Message) -> Void
    private var line: [UInt8] = []
    /// Enough for the longest warning of ssh, the one about a changed host key.
    private var linesLeft = 16

    init(of destination: DisplayText, _ report: @escaping (Message) -> Void) {
        self.destination = destination
        self.report = report
    }

    /// Shows the lines that are complete, each as what it is, and after the last that is shown nothing more.
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

/// git on another machine, run once to see whether it comes through to the gateway here.
///
/// What it asks for is no repository, so nobody is asked for anything; the gateway's own words in its answer tell that it
/// came through.
final class GatewayTrial {
    private let destination: DisplayText
    private let report: (Message) -> Void
    private var process: ChildProcess?
    private let output = Output()

    private final class Output {
        var bytes: [UInt8] = []
    }

    /// In bytes; git says less.
    private static let longest = 16_384

    init(_ destination: String, over control: String, in folder: String, _ report: @escaping (Message) -> Void) {
        self.destination = DisplayText(trusted: destination)
        self.report = report
        let address = "http://\(SOCKSHandshake.host)/gitspace"
        let configuration = "\(folder)/\(SharePlan.configurationFile)"
        let git = "GIT_TERMINAL_PROMPT=0 LC_ALL=C git -c include.path=\(configuration) ls-remote"
        let command = "exec sh -c '\(git) \(address) 1>&2'"
        let output = output
        // Over that connection or not at all: without the person's settings, the name may be another machine's.
        process = ChildProcess(
            [
                "ssh", "-F", "/dev/null", "-T", "-S", control, "-o", "ControlMaster=no", "-o", "ProxyCommand=false",
                "--", destination, command,
            ],
            io: .pipes(errors: { if output.bytes.count < Self.longest { output.bytes += $0 } }))
    }

    var numbers: [Int32] { process?.numbers ?? [] }

    /// Reports once what has come of it, if that is anything to do.
    var hasEnded: Bool {
        guard process?.hasEnded ?? true else { return false }
        process?.finish(within: 1_000)
        process = nil
        let words = String(decoding: output.bytes, as: UTF8.self)
        if words.contains("gitspace:") { return true }
        if words.contains("not found"), !words.contains("repository") {
            report(Message("%1$s has no git", destination))
        } else {
            // Not its command: what a token cannot be limited to is the person's to weigh.
            report(
                Message(
                    "git on %1$s does not come through: it needs libcurl 7.84 or later. To share the token instead, see --token in the manual:",
                    destination))
            report(.command("man gitspace-share"))
        }
        return true
    }
}
