import Dispatch
import Glibc
import StandIn

/// Runs a stand-in of GitHub for scripts.
///
/// Prints one line of `NAME=VALUE` pairs, then serves until standard input ends or SIGTERM or SIGINT arrives.
///
/// ```sh
/// coproc stand-in --interval 1
/// read -r settings <&"${COPROC[0]}" && eval "$settings"
/// curl -X POST "$CONTROL/repo?owner=acme&name=private"
/// ```
@main struct StandInServer {
    static func main() async throws {
        let options = CommandLine.arguments.dropFirst()
        // Seconds between two polls.
        guard let interval = options.isEmpty ? 5 : options.last.flatMap({ Double($0) }),
            options.isEmpty || options.dropLast() == ["--interval"]
        else {
            say("usage: stand-in [--interval SECONDS]\n", to: STDERR_FILENO)
            exit(64)
        }
        let ending = Ending()
        let github = try StandIn()
        let oauthApp = github.register(.oauthApp(interval: interval))
        let gitHubApp = github.register(.gitHubApp(interval: interval))
        let control = try ControlPort(for: github)
        let settings = [
            ("PORT", String(github.port)), ("PROXY", github.proxyAddress), ("CA", github.caFile),
            ("CONTROL", control.address), ("CLIENT_ID_OAUTH_APP", oauthApp.clientID),
            ("CLIENT_ID_GITHUB_APP", gitHubApp.clientID),
        ]
        say(settings.map { "\($0)=\(quoted($1))" }.joined(separator: " ") + "\n", to: STDOUT_FILENO)
        await ending.wait()
        await control.stop()
        await github.stop()
    }

    /// A value quoted for a shell.
    private static func quoted(_ value: String) -> String {
        let plain = value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/.:_-".contains($0)) }
        return plain ? value : "'\(value.replacing("'", with: #"'\''"#))'"
    }

    /// Writes at once; `print` would buffer a line for a pipe.
    private static func say(_ text: String, to descriptor: Int32) {
        _ = text.withCString { write(descriptor, $0, strlen($0)) }
    }
}
