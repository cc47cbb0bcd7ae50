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
