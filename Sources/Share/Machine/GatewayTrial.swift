internal import CredentialCore
internal import Messages
internal import System

/// git on another machine, run once to see whether it comes through to the gateway here.
///
/// What it asks for is no repository, so nobody is asked for anything; the gateway's own words in its answer tell that it
/// came through.
final class GatewayTrial {
    private let destination: DisplayText
    private let report: (Message) -> Void
    private var process: PipedProcess?
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
        let git = "GIT_TERMINAL_PROMPT=0 LC_ALL=C git -c include.path=\(folder)/\(GatewayConfiguration.file) ls-remote"
        let command = "exec sh -c '\(git) \(address) 1>&2'"
        let output = output
        // Over that connection or not at all: without the person's settings, the name may be another machine's.
        process = PipedProcess(
            [
                "ssh", "-F", "/dev/null", "-T", "-S", control, "-o", "ControlMaster=no", "-o", "ProxyCommand=false",
                "--", destination, command,
            ],
            onStandardError: { if output.bytes.count < Self.longest { output.bytes += $0 } })
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
