internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System
internal import UserInterface

/// A verb that does its work with what the composition root makes.
protocol PersonsVerb: ParsableCommand {
    /// Does it.
    ///
    /// - Returns: the exit status.
    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32
}

extension PersonsVerb {
    /// A request for a host as a person names it, and what its verb depends on.
    ///
    /// - Returns: nil, after a complaint, for a host or account that breaks the rules which git's requests have to keep.
    func request(
        _ host: String, _ username: String?, _ streams: StandardStreams, _ signals: SignalWatch
    ) -> (Request, Dependencies)? {
        requestAndRoot(host, username, streams, signals).map { request, root in (request, root.dependencies) }
    }

    /// The same for a verb that needs more than the dependencies.
    func requestAndRoot(
        _ host: String, _ username: String?, _ streams: StandardStreams, _ signals: SignalWatch
    ) -> (Request, CompositionRoot)? {
        do throws(RequestError) {
            let request = try HostArgument(host).request(username: username)
            return (request, CompositionRoot(streams, signals, for: HostName(request.host)))
        } catch {
            _ = regret(.requestRefused(error))
            return nil
        }
    }

    /// Says what was done, a line each, on standard output.
    func say(_ lines: [Message], on streams: StandardStreams) {
        _ = streams.send(lines.map { Language.text($0) + "\n" }.joined())
    }

    /// Complains.
    ///
    /// - Returns: the exit status.
    func regret(_ complaint: UserFacingError) -> Int32 {
        ErrorOutput.write(complaint)
        return Login.End.failed.rawValue
    }
}
