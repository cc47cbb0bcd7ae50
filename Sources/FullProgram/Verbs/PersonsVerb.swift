internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import System
internal import UserInterface
internal import Words

/// A verb for people: it turns its arguments into a command; everything else is the same for all verbs.
protocol PersonsVerb: ParsableCommand {
    associatedtype Work: Command where Work.Report: ReportText

    /// Whether the output is for programs.
    var json: Bool { get }

    /// The command for the arguments.
    ///
    /// - Throws: what is wrong with the arguments.
    func command(_ start: VerbStart) throws(UserFacingError) -> Work
}

extension PersonsVerb {
    var json: Bool { false }

    /// Runs the command and writes its output: lines for people at once, JSON at the end, errors to standard error.
    ///
    /// - Returns: the exit status.
    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        let start = VerbStart(streams, signals, verb: Self.configuration.commandName ?? "")
        var objects: [String] = []
        do throws(UserFacingError) {
            let status = try command(start).run { report in
                if json { return objects += report.json }
                if let failure = report.failure {
                    return ErrorOutput.write(UserFacingError(.finding, failure.what, failure.hints))
                }
                let lines = report.lines.flatMap { TextOutput.lines($0, to: streams.answerDescriptor) }
                _ = streams.send(lines.map { $0 + "\n" }.joined())
            }
            // A cancelled command writes JSON only if it has found something.
            if json, status != .cancelled || !objects.isEmpty { _ = streams.send(Work.Report.document(objects)) }
            return status.rawValue
        } catch {
            start.report(error)
            return ExitStatus.failed.rawValue
        }
    }
}

/// What a verb starts with: the streams, the signals, and the composition root made from them.
final class VerbStart {
    let streams: StandardStreams
    let signals: SignalWatch
    private let verb: String
    private var dependencies: Dependencies?

    init(_ streams: StandardStreams, _ signals: SignalWatch, verb: String) {
        self.streams = streams
        self.signals = signals
        self.verb = verb
    }

    /// Creates what a command depends on.
    ///
    /// - Parameter host: the host of the command; nil if there is none.
    /// - Returns: the composition root, whose dependencies report errors from now on.
    func root(for host: HostName?) -> CompositionRoot {
        let root = CompositionRoot(streams, signals, for: host)
        dependencies = root.dependencies
        return root
    }

    /// A request for a host as a person writes it, and the dependencies of its command.
    ///
    /// - Throws: for a host or account that breaks the rules for git's requests.
    func request(
        _ host: String, _ username: String? = nil, withPath: Bool = false
    ) throws(UserFacingError) -> (Request, CompositionRoot) {
        do throws(RequestError) {
            let request = try HostArgument(host).request(username: username, withPath: withPath)
            guard let name = HostName(request.host) else { throw .malformedHost }
            return (request, root(for: name))
        } catch .malformedHost where HostArgument.isPlainHTTP(host) {
            throw .plainHTTPArgument(DisplayText(host.utf8), verb: DisplayText(own: verb))
        } catch .malformedHost {
            throw .malformedHostArgument(DisplayText(host.utf8), verb: DisplayText(own: verb))
        } catch {
            throw .requestRefused(error)
        }
    }

    /// The same for the given host, or for that of the current repository (`DefaultHost`).
    func request(
        orDefault host: String?, _ username: String?, withPath: Bool = false
    ) throws(UserFacingError) -> (Request, CompositionRoot) {
        try request(host ?? defaultHost, username, withPath: withPath)
    }

    /// The host if none is given.
    var defaultHost: String {
        DefaultHost.of(remote: CurrentRemote.address, with: CompositionRoot(streams, signals, for: nil).dependencies)
    }

    /// Writes what failed, below anything that is on the screen.
    func report(_ error: UserFacingError) {
        if let dependencies { dependencies.report(error) } else { ErrorOutput.write(error) }
    }
}
