internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System

/// The verb `refresh [HOST] [--username NAME]`.
struct RefreshVerb: PersonsVerb {
    static let configuration = CommandConfiguration(commandName: "refresh", abstract: "Renew a token now.")

    @Argument(help: "The host whose token is renewed.")
    var host = "github.com"

    @Option(help: "The account whose token is renewed.")
    var username: String?

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        guard let (request, dependencies) = request(host, username, streams, signals),
            let report = RefreshNow(with: dependencies).run(request)
        else { return Login.End.failed.rawValue }
        say([Message("Refreshed the token of %1$s for %2$s.", report.username, report.host)], on: streams)
        say(
            [
                report.expiresAt.map { Message("Valid until %1$s.", LocalTime.text($0)) }
                    ?? Message("It does not expire.")
            ], on: streams)
        return Login.End.done.rawValue
    }
}
