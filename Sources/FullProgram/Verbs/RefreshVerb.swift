internal import ArgumentParser
internal import Helper
internal import Machine

/// The verb `refresh [HOST] [--username NAME]`.
struct RefreshVerb: PersonsVerb {
    static let configuration = CommandConfiguration(commandName: "refresh", abstract: "Renew a token now.")

    @Argument(help: "The host whose token is renewed.")
    var host = "github.com"

    @Option(help: "The account whose token is renewed.")
    var username: String?

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        guard let (request, world) = request(host, username, streams, signals),
            let report = RefreshNow(in: world).run(request)
        else { return Login.End.failed.rawValue }
        let end = report.expiresAt.map { "Valid until \(LocalTime.text($0))." } ?? "It does not expire."
        _ = streams.send("Refreshed the token of \(report.username) for \(report.host). \(end)\n")
        return Login.End.done.rawValue
    }
}
