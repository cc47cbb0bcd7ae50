internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System

/// The verb `configure [--system] [--dry-run]`.
struct ConfigureVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "configure", abstract: "Set up git, so that it asks this program.",
        discussion: "For github.com, gist.github.com, and the hosts of your own that have a provider configured.")

    @Flag(help: "For everybody on this machine, and not for you alone.")
    var system = false

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        let root = CompositionRoot(streams, signals, for: nil)
        let verb = Configure(system ? .system : .global, files: root.configurationFiles, with: root.dependencies)
        guard let report = verb.run(isDryRun: dryRun) else { return Login.End.failed.rawValue }
        say(lines(report), on: streams)
        return Login.End.done.rawValue
    }

    private func lines(_ report: Configure.Report) -> [Message] {
        var lines: [Message] = []
        if report.lines.isEmpty {
            lines.append(
                Message("Nothing to do: git asks gitspace for %1$s.", report.hosts.joined(separator: ", ")))
        } else {
            lines.append(
                dryRun ? Message("Would add to %1$s:", report.file) : Message("Added to %1$s:", report.file))
            lines += report.lines.map { Message(verbatim: "  \($0)") }
            if !report.switchedOff.isEmpty {
                lines.append(
                    dryRun
                        ? Message("For these hosts git would no longer ask:")
                        : Message("For these hosts git no longer asks:"))
                lines += report.switchedOff.map(Self.line)
            }
        }
        if !report.stillAsked.isEmpty {
            lines.append(Message("These helpers stand behind it. git asks them as well, and gives them the token:"))
            lines += report.stillAsked.map(Self.line)
        }
        if !report.lines.isEmpty, !dryRun {
            let undo = "git credential-gitspace unconfigure" + (system ? " --system" : "")
            lines += [Message("To undo it:"), .command(undo)]
        }
        if report.lacksClientID {
            lines += [
                Message("One thing is missing, an OAuth client ID. To get one:"),
                .command("git credential-gitspace register"),
            ]
        }
        return lines
    }

    private static func line(_ helper: OtherHelper) -> Message {
        .indented(Message("%1$s (in %2$s)", name(helper), helper.origin))
    }

    private static func name(_ helper: OtherHelper) -> Message {
        helper.name.map { Message(verbatim: $0) } ?? Message("a command of the shell")
    }
}
