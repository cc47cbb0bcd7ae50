internal import CredentialCore
internal import FrontDoor
internal import Glibc
internal import ShareClient
internal import System

/// The program that git spawns: it answers at the front door, or becomes the full program.
@main
enum GitCredentialGitspace {
    static func main() {
        Environment.harden()
        let trace = Trace()
        let stopwatch = Stopwatch()
        StandardStreams.openClosed()
        // Why a trace is not written, the full program has the words to say.
        guard trace.refusal == nil, let operation, operation != .capability else {
            guard let program else { fail(missing) }
            become(program)
        }
        guard var request = StandardInput.read() else { exit(1) }
        let door = FrontDoor(
            environment: { Environment[$0] }, now: SystemClock().now,
            search: { SessionKeyring.items(having: $0, trace) }, shares: ShareClient(environment: { Environment[$0] }),
            hasRefusedTokens: { RefusedTokensFile.exists }, configuration: { try? GitConfiguration.read() })
        switch door.outcome(operation, request) {
        case .answer(let answer):
            trace { "front door: \(operation.rawValue) answered, \(stopwatch.text)" }
            request.wipe()
            send(answer)
        case .refuse(let answer, let line):
            trace { "front door: \(operation.rawValue) ended, \(stopwatch.text)" }
            StandardStreams.report(line)
            request.wipe()
            send(answer)
        case .stepAside(let line):
            trace { "front door: \(operation.rawValue) is for the full program, \(stopwatch.text)" }
            // Where there is no keyring, one file may be all that was put here.
            guard let program else { line == "" ? exit(0) : fail(line ?? missing) }
            guard ExecHandover.replay(request) else { exit(1) }
            request.wipe()
            become(program)
        }
    }

    /// What git asks, if the front door may answer: an operation and nothing else, and nobody has closed the door.
    private static var operation: Operation? {
        guard CommandLine.argc == 2, Environment["GITSPACE_FRONT_DOOR"] != "off" else { return nil }
        return CommandLine.arguments.last.flatMap(Operation.init)
    }

    private static let name = "git-credential-gitspace-full"

    /// The full program stands beside us where we were built, and in `libexec` where we were installed.
    private static var program: String? { ExecHandover.find(name, in: [".", "../libexec"]) }

    private static var missing: String {
        "gitspace: error: the program " + name + " is missing\nhint: reinstall gitspace; this file alone can only use "
            + "a sign-in that another machine shares (git credential-gitspace share)\n"
    }

    private static func send(_ answer: Secret) -> Never {
        exit(answer.reveal { FileDescriptor.write($0, to: STDOUT_FILENO) } ? 0 : 1)
    }

    private static func become(_ program: String) -> Never {
        ExecHandover.run(program)
        fail(missing)
    }

    private static func fail(_ line: String) -> Never {
        StandardStreams.report(line)
        exit(1)
    }
}
