internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System
internal import UserInterface

/// A verb as it is typed: what it makes of its arguments is a command, and all the rest is the same for each.
protocol PersonsVerb: ParsableCommand {
    associatedtype Work: Command where Work.Report: ReportText

    /// Whether programs read what is said.
    var json: Bool { get }

    /// The command that the arguments mean.
    ///
    /// - Throws: what is wrong with the arguments.
    func command(_ start: VerbStart) throws(UserFacingError) -> Work
}

extension PersonsVerb {
    var json: Bool { false }

    /// Does it, and prints what it tells: lines for people at once, JSON at the end, errors on standard error.
    ///
    /// - Returns: the exit status.
    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        let start = VerbStart(streams, signals)
        var objects: [String] = []
        do throws(UserFacingError) {
            let status = try command(start).run { report in
                if json { return objects += report.json }
                if let failure = report.failure { return ErrorOutput.write(failure) }
                let lines = report.lines.flatMap { TextOutput.lines($0, to: streams.answerDescriptor) }
                _ = streams.send(lines.map { $0 + "\n" }.joined())
            }
            // Half an answer is none, unless a part of it has been found.
            if json, status != .cancelled || !objects.isEmpty { _ = streams.send(Work.Report.document(objects)) }
            return status.rawValue
        } catch {
            start.report(error)
            return ExitStatus.failed.rawValue
        }
    }
}

/// What a verb starts from: the streams, the signals, and what the composition root makes of them.
final class VerbStart {
    let streams: StandardStreams
    let signals: SignalWatch
    private var dependencies: Dependencies?

    init(_ streams: StandardStreams, _ signals: SignalWatch) {
        self.streams = streams
        self.signals = signals
    }

    /// Makes what a command depends on.
    ///
    /// - Parameter host: the host in question; nil if there is none.
    /// - Returns: it, with the dependencies by which errors are told from now on.
    func root(for host: HostName?) -> CompositionRoot {
        let root = CompositionRoot(streams, signals, for: host)
        dependencies = root.dependencies
        return root
    }

    /// A request for a host as a person names it, and what its command depends on.
    ///
    /// - Throws: for a host or account that breaks the rules which git's requests have to keep.
    func request(
        _ host: String, _ username: String? = nil, withPath: Bool = false
    ) throws(UserFacingError) -> (Request, CompositionRoot) {
        do throws(RequestError) {
            let request = try HostArgument(host).request(username: username, withPath: withPath)
            return (request, root(for: HostName(request.host)))
        } catch {
            throw .requestRefused(error)
        }
    }

    /// The same for the host that is named, or for that of the repository here (`DefaultHost`).
    func request(
        orDefault host: String?, _ username: String?, withPath: Bool = false
    ) throws(UserFacingError) -> (Request, CompositionRoot) {
        try request(host ?? defaultHost, username, withPath: withPath)
    }

    /// The host for those who name none.
    var defaultHost: String {
        DefaultHost.of(remote: CurrentRemote.address, with: CompositionRoot(streams, signals, for: nil).dependencies)
    }

    /// Says what failed, below whatever stands on the screen.
    func report(_ error: UserFacingError) {
        if let dependencies { dependencies.report(error) } else { ErrorOutput.write(error) }
    }
}
