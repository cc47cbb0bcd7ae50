internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import System

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
        guard let (request, dependencies) = request(host, username, streams, signals) else {
            return Login.End.failed.rawValue
        }
        return Login(isForced: force, with: dependencies).run(request).rawValue
    }
}
