internal import Commands
internal import CredentialCore
internal import Glibc
internal import Helper
internal import Listener
internal import Messages
internal import System

/// A socket on another machine that leads to ours: OpenSSH's forwarding, for as long as one ssh process runs.
///
/// That ssh process is the master of the connection, creates the directory there, and cleans up: its remote command
/// waits for the end of its input, which comes when we end for whatever reason, or when the connection is lost. sshd
/// itself never removes the socket, and a later forwarding to the same path would fail; so the name is unique to this
/// process. The other machine needs only a POSIX shell, and no change to sshd's configuration.
final class SSHShare: ShareHold {
    let directory: String
    private let ssh: PipedProcess

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
    ///   - isInterrupted: called while waiting for ssh.
    /// - Throws: `.share`.
    init(
        _ destination: String, to socket: String, control: String, isInterrupted: () -> Bool
    ) throws(UserFacingError) {
        let shown = DisplayText(own: destination)
        // Percent signs are tokens to ssh (ssh_config(5), "TOKENS").
        let control = control.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
        let name = Self.name
        let options = [
            "-T", "-x", "-S", control, "-o", "ControlMaster=yes", "-o", "ControlPersist=no", "-o", "RemoteCommand=none",
            "-o", "PermitLocalCommand=no", "-o", "ClearAllForwardings=yes", "-o", "ServerAliveInterval=15",
        ]
        guard let ssh = PipedProcess(["ssh"] + options + ["--", destination, Self.script(name)]) else {
            throw .share(.noConnection(destination: shown))
        }
        guard let line = ssh.line(within: Self.patience, unless: isInterrupted) else {
            ssh.finish(within: 1_000)
            throw .share(.noConnection(destination: shown))
        }
        guard let directory = String(validating: line, as: UTF8.self), directory.hasPrefix("/"),
            directory.unicodeScalars.allSatisfy({ DisplayText.isVisible($0) && $0 != ":" })
        else {
            ssh.finish(within: 1_000)
            throw .share(.noRemoteDirectory(destination: shown))
        }
        self.directory = directory
        self.ssh = ssh
        let forward = [
            "ssh", "-S", control, "-O", "forward", "-R", "\(directory)/\(name):\(socket)", "--", destination,
        ]
        guard ChildProcess.output(of: forward, within: Self.forwardPatience) != nil else {
            ssh.finish(within: 5_000)
            throw .share(.notForwarded(destination: shown))
        }
        ssh.send(line: "ready")
    }

    var number: Int32 { ssh.number }

    var hasEnded: Bool { ssh.hasEnded }

    func end() { ssh.finish(within: 5_000) }

    /// Unique to this process, and understandable to a person who lists the directory there.
    private static var name: String {
        var buffer = [CChar](repeating: 0, count: 65)
        gethostname(&buffer, 64)
        let host = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.prefix { $0 != 0x2e }
        let fit = host.map { ASCII.isLetterOrDigit($0) ? $0 : UInt8(ascii: "-") }.prefix(24)
        return "\(String(decoding: fit, as: UTF8.self))-\(getpid()).sock"
    }

    /// The remote script; it contains no single quote, since it is quoted for the person's own shell of any kind.
    ///
    /// The name `socket` points to the newest socket, so that an unmodified git has a stable path.
    private static func script(_ name: String) -> String {
        let steps = [
            "umask 077", "d=${XDG_RUNTIME_DIR:-$HOME/.cache}/gitspace", "mkdir -p \"$d\" || exit 1",
            "[ -O \"$d\" ] && chmod 700 \"$d\" && cd \"$d\" || exit 1",
            // Neither a hangup nor Ctrl-C may prevent the cleanup.
            "trap : HUP INT TERM PIPE", "pwd -P", "read -r x && ln -sf \(name) socket", "cat >/dev/null",
            "rm -f \(name)",
            "[ \"$(readlink socket)\" = \(name) ] && rm -f socket",
            "[ -e socket ] || for s in *.sock; do [ -S \"$s\" ] && ln -sf \"$s\" socket; done", ":",
        ]
        return "exec sh -c '\(steps.joined(separator: "; "))'"
    }
}
