internal import Commands
internal import CredentialCore
internal import Glibc
internal import Helper
internal import Listener
internal import System

/// A socket on another machine that leads to ours: OpenSSH's forwarding, as long as one ssh lives.
///
/// That one ssh is at once the master of the connection, what makes the directory there, and what cleans up: its command
/// there waits for the end of its input, which comes when we end, however we end, or when the connection is lost. sshd
/// itself never removes the socket, and a later forwarding to the same path would fail; so its name is of this process
/// alone. Nothing is needed there but a POSIX shell, and nothing of sshd's configuration.
final class SSHShare: ShareHold {
    let directory: String
    private let ssh: PipedProcess

    /// Asking for a password or a second factor included, in milliseconds.
    private static let patience: Int64 = 180_000
    /// Once connected, in milliseconds.
    private static let forwardPatience: Int64 = 15_000

    /// Connects, and forwards.
    ///
    /// - Parameters:
    ///   - destination: as ssh takes it.
    ///   - socket: the socket here.
    ///   - control: where ssh may put a socket of its own, here.
    ///   - isInterrupted: asked while ssh is waited for.
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

    /// Of this process alone, and readable for whoever looks into the directory there.
    private static var name: String {
        var buffer = [CChar](repeating: 0, count: 65)
        gethostname(&buffer, 64)
        let host = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.prefix { $0 != 0x2e }
        let fit = host.map { ASCII.isLetterOrDigit($0) ? $0 : UInt8(ascii: "-") }.prefix(24)
        return "\(String(decoding: fit, as: UTF8.self))-\(getpid()).sock"
    }

    /// What runs there; without a quote in it, for it stands in quotes for the person's own shell, whichever that is.
    ///
    /// The name `socket` leads to the newest one, so that an unmodified git has a path that stays.
    private static func script(_ name: String) -> String {
        let steps = [
            "umask 077", "d=${XDG_RUNTIME_DIR:-$HOME/.cache}/gitspace", "mkdir -p \"$d\" || exit 1",
            "[ -O \"$d\" ] && chmod 700 \"$d\" && cd \"$d\" || exit 1",
            // Neither a hangup nor Ctrl-C must keep it from cleaning up.
            "trap : HUP INT TERM PIPE", "pwd -P", "read -r x && ln -sf \(name) socket", "cat >/dev/null",
            "rm -f \(name)",
            "[ \"$(readlink socket)\" = \(name) ] && rm -f socket",
            "[ -e socket ] || for s in *.sock; do [ -S \"$s\" ] && ln -sf \"$s\" socket; done", ":",
        ]
        return "exec sh -c '\(steps.joined(separator: "; "))'"
    }
}
