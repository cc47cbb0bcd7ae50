internal import CredentialCore
internal import FrontDoor
internal import Glibc
internal import System

/// The program that git spawns: it answers at the front door, or becomes the full program.
@main
enum GitCredentialGitspace {
    static func main() {
        Environment.harden()
        let trace = Trace()
        let stopwatch = Stopwatch()
        StandardStreams.openClosed()
        // The full program reports why there is no trace.
        guard trace.refusal == nil, let operation, operation == .get || operation == .store else { becomeFullProgram() }
        guard let request = StandardInput.read() else { exit(1) }
        let door = FrontDoor(
            environment: { Environment[$0] }, now: SystemClock().now,
            search: { SessionKeyring.items(having: $0, trace) },
            hasRefusedTokens: { RefusedTokensFile.exists }, hasMemory: { CredentialCacheSocket.exists },
            configuration: { try? GitConfiguration.read() })
        if let answer = door.answer(operation, request) {
            trace { "front door: \(operation.rawValue) answered, \(stopwatch.text)" }
            exit(answer.reveal { FileDescriptor.write($0, to: STDOUT_FILENO) } ? 0 : 1)
        }
        trace { "front door: \(operation.rawValue) is for the full program, \(stopwatch.text)" }
        guard ExecHandover.replay(request) else { exit(1) }
        becomeFullProgram()
    }

    /// The operation, or `nil` unless it is the only argument and the front door is not switched off.
    private static var operation: Operation? {
        guard CommandLine.argc == 2, Environment["GITSPACE_FRONT_DOOR"] != "off" else { return nil }
        return CommandLine.arguments.last.flatMap(Operation.init)
    }

    /// The full program is beside this file after a build, and in `libexec` once installed.
    private static func becomeFullProgram() -> Never {
        let name = "git-credential-gitspace-full"
        if let program = ExecHandover.find(name, in: [".", "../libexec"]) { ExecHandover.run(program) }
        StandardStreams.report("gitspace: error: the program " + name + " is missing\nhint: reinstall gitspace\n")
        exit(1)
    }
}
