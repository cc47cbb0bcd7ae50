internal import ArgumentParser
internal import Helper
internal import Machine

/// The verb `login [HOST] [--username NAME] [--force]`.
struct LoginVerb: PersonsVerb {
    static let configuration = CommandConfiguration(commandName: "login", abstract: "Sign in now.")

    @Argument(help: "The host to sign in to.")
    var host = "github.com"

    @Option(help: "The account to sign in as.")
    var username: String?

    @Flag(help: "Sign in although a good token is there.")
    var force = false

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        guard let (request, world) = request(host, username, streams, signals) else { return Login.End.failed.rawValue }
        return Login(isForced: force, in: world).run(request).rawValue
    }
}
