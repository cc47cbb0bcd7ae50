internal import ArgumentParser
internal import CredentialCore
internal import Glibc
internal import Helper
internal import Language
internal import System
internal import UserInterface
internal import Verbs

struct PeopleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "git-credential-gitspace",
        Message("A git credential helper that signs you in and keeps the token in your keyring."),
        Message("git itself runs the operations get, store, erase and capability."),
        version: "git-credential-gitspace \(Version.text)", subcommands: Verbs.verbs)

    static func isVerb(_ word: String) -> Bool {
        ["--help", "-h", "--version", "-v", "version", "help"].contains(word)
            || configuration.subcommands.contains { $0._commandName == word }
    }

    /// Returns the exit status: 0 done, 1 failed, 64 usage, 130 cancelled.
    static func run(_ arguments: [String], _ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        // The parser knows only one spelling.
        let arguments = ["-v", "version"].contains(arguments.first) ? ["--version"] : joiningVerb(arguments)
        do {
            var command = try parseAsRoot(arguments)
            if let verb = command as? any Verb {
                let status = run(verb, streams, signals)
                // Ctrl-C is the cause of the failure.
                return (status == .failed && signals.look() ? .cancelled : status).rawValue
            }
            // The remaining commands are the parser's own: they throw the help text.
            try command.run()
            return ExitCode.success.rawValue
        } catch {
            let status = exitCode(for: error)
            if status == .success {
                _ = streams.send(answer(fullMessage(for: error, columns: unlimited), streams))
            } else {
                printUsage(fullMessage(for: error, columns: unlimited))
            }
            return status.rawValue
        }
    }

    private static func run(_ verb: any Verb, _ streams: StandardStreams, _ signals: SignalWatch) -> Verbs.ExitStatus {
        let root = CompositionRoot(streams, signals, for: nil, reading: GitConfiguration(followsChanges: true))
        var latest = root.dependencies
        do throws(UserFacingError) {
            return try verb.run(with: root.verbDependencies { latest = $0 })
        } catch {
            latest.report(error)
            return .failed
        }
    }

    /// Reports an unknown verb to a person who has typed it; git gets no output.
    static func reportUnknown(_ word: String) -> Int32 {
        let verbs = configuration.subcommands.map { $0._commandName }
        let nearest = EditDistance.nearest(to: word, of: verbs).map { DisplayText(untrusted: $0.utf8) }
        ErrorOutput.write(.noSuchVerb(DisplayText(untrusted: word.utf8), nearest: nearest))
        return ExitCode.validationFailure.rawValue
    }

    /// Returns the exit status.
    static func usage() -> Int32 {
        printUsage(helpMessage(columns: unlimited))
        return ExitCode.validationFailure.rawValue
    }

    /// The parser counts characters instead of columns, so lines are broken here.
    private static let unlimited = 10_000

    /// Breaks help into lines, but neither a version nor a shell script.
    private static func answer(_ text: String, _ streams: StandardStreams) -> String {
        isHelp(text) ? lines(text, to: streams.answerDescriptor) : Wrapping.plain(text) + "\n"
    }

    private static func printUsage(_ text: String) { StandardStreams.report(lines(text, to: STDERR_FILENO)) }

    /// Breaks help into lines even without a terminal, as the parser does; an error is not broken then.
    private static func lines(_ text: String, to descriptor: Int32) -> String {
        let columns = TextOutput.width(of: descriptor) ?? (isHelp(text) ? ParserWords.usualColumns : unlimited)
        return ParserWords.lines(text, columns: columns).map { $0 + "\n" }.joined()
    }

    private static func isHelp(_ text: String) -> Bool { text.hasPrefix("OVERVIEW: ") }
}
