internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System

/// The verb `unconfigure [--system] [--dry-run]`.
struct UnconfigureVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "unconfigure", abstract: "Undo what configure has set up.")

    @Flag(help: "What was set up for everybody on this machine.")
    var system = false

    @Flag(help: "Show what would be removed, and write nothing.")
    var dryRun = false

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        let root = CompositionRoot(streams, signals, for: nil)
        let verb = Unconfigure(system ? .system : .global, files: root.configurationFiles, with: root.dependencies)
        guard let report = verb.run(isDryRun: dryRun) else { return Login.End.failed.rawValue }
        say(lines(report), on: streams)
        return Login.End.done.rawValue
    }

    private func lines(_ report: Unconfigure.Report) -> [Message] {
        var lines: [Message] = []
        if report.lines.isEmpty {
            lines.append(Message("Nothing to do: no line of configure's is in %1$s.", report.file))
        } else {
            lines.append(
                dryRun ? Message("Would remove from %1$s:", report.file) : Message("Removed from %1$s:", report.file))
            lines += report.lines.map { Message(verbatim: $0.hasPrefix("[") ? "  \($0)" : "  \t\($0)") }
        }
        if !report.leftovers.isEmpty {
            lines.append(
                Message("git still asks gitspace, by lines that somebody has written. To remove them as well:"))
            lines += report.leftovers.map { .command($0) }
        }
        return lines
    }
}
