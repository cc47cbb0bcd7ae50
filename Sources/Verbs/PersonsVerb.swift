internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Messages

/// A verb whose work and words still stand apart: it turns its arguments into a command.
protocol PersonsVerb: Verb {
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

    /// Runs the command and writes its output: lines for people at once, JSON at the end.
    package func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        var objects: [String] = []
        let dependencies = outside.dependencies(nil)
        let start = VerbStart(outside, verb: Self.configuration.commandName ?? "")
        let status = try command(start).run { report in
            if json { return objects += report.json }
            if let failure = report.failure {
                return dependencies.report(UserFacingError(.finding, failure.what, failure.hints))
            }
            outside.say(report.lines)
        }
        // A cancelled command writes JSON only if it has found something.
        if json, status != .cancelled || !objects.isEmpty { outside.print(Work.Report.document(objects)) }
        return status
    }
}

/// What such a verb starts with.
struct VerbStart {
    let outside: VerbDependencies
    private let verb: DisplayText

    init(_ outside: VerbDependencies, verb: String) {
        self.outside = outside
        self.verb = DisplayText(own: verb)
    }

    struct Root {
        let dependencies: Dependencies
        let questions: any Questions
        let configurationFiles: any ConfigurationFiles
        let foreignKeyring: any ForeignKeyring
        let foreignFiles: any ForeignFiles
        let inspections: () -> Inspections
    }

    func root(for host: HostName?) -> Root { root(outside.dependencies(host), host) }

    private func root(_ dependencies: Dependencies, _ host: HostName?) -> Root {
        Root(
            dependencies: dependencies, questions: outside.questions, configurationFiles: outside.files,
            foreignKeyring: outside.foreignKeyring, foreignFiles: outside.foreignFiles,
            inspections: { outside.inspections(host) })
    }

    func request(
        _ host: String, _ username: String? = nil, withPath: Bool = false
    ) throws(UserFacingError) -> (Request, Root) {
        try request(orDefault: host, username, withPath: withPath)
    }

    func request(
        orDefault host: String?, _ username: String?, withPath: Bool = false
    ) throws(UserFacingError) -> (Request, Root) {
        let (request, dependencies) = try outside.request(host, username, withPath: withPath, for: verb)
        return (request, root(dependencies, HostName(request.host)))
    }

    var defaultHost: String { outside.defaultHost }
}
