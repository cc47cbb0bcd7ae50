internal import ArgumentParser
internal import CredentialCore
internal import GLibSupport
internal import Glibc
internal import Helper
internal import Language
internal import Share
internal import System
internal import UserInterface
internal import Verbs

/// The program: dispatches git's operations by hand, and passes people's verbs to the argument parser.
///
/// The parser answers an unknown word with a usage text and status 64. git expects no output and 0, so that helpers can
/// learn new operations (gitcredentials(7)).
@main
enum FullProgram {
    static func main() {
        Environment.harden()
        RelativePaths.forget()
        if CommandLine.arguments.dropFirst() == [GatewayProcess.operation] { _exit(CompositionRoot.serveConnection()) }
        guard let streams = StandardStreams(), let signals = SignalWatch() else { exit(1) }
        if let refusal = streams.trace.refusal { ErrorOutput.write(refusal.error) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let first = arguments.first else { exit(PeopleCommand.usage()) }
        if PeopleCommand.isVerb(first) { exit(PeopleCommand.run(arguments, streams, signals)) }
        if first == Browser.operation {
            let page = arguments.dropFirst().last.flatMap { HTTPSAddress(parsing: $0) }
            exit(page.map(DefaultBrowser.open) ?? 1)
        }
        // Options from git's configuration come before the operation, which git puts last.
        guard let last = arguments.last, let operation = Operation(rawValue: last) else {
            // git writes its request at once; any other caller is a person or a program with a mistyped verb.
            let isRequest =
                arguments.last?.hasPrefix("-") == false && isatty(STDIN_FILENO) != 1
                && StandardInput.hasInput(within: 100)
            exit(isRequest ? 0 : PeopleCommand.reportUnknown(first))
        }
        let status = run(operation, streams, signals)
        // Hanging calls of libsecret must not delay the end.
        _exit(status)
    }

    private static func run(_ operation: Operation, _ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        if operation == .capability { return streams.send(Capability.announcement) ? 0 : 1 }
        guard let text = StandardInput.read() else { return 1 }
        do throws(RequestError) {
            let request = try Request(parsing: text)
            let dependencies = CompositionRoot(streams, signals, for: HostName(request.host)).dependencies
            let answer = CredentialHelper(with: dependencies).answer(operation, request)
            return streams.send(answer.encoded(for: request)) ? 0 : 1
        } catch .missing {
            // git ended while it wrote the request, and has reported the reason.
            return 0
        } catch {
            ErrorOutput.write(.requestRefused(error))
            return 0
        }
    }
}

extension Trace.Refusal {
    /// The reason why there is no trace; the command runs without it.
    var error: UserFacingError {
        let message =
            switch self {
            case .notOwnFile(let path):
                Message("not tracing to %1$s: it is not a regular file that you own", DisplayText(trusted: path))
            case .unwritable(let path): Message("not tracing to %1$s: it cannot be opened", DisplayText(trusted: path))
            case .answer: Message("not tracing to the file descriptor from which git reads the answer")
            }
        return UserFacingError(.configuration, message)
    }
}

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
