internal import CredentialCore
internal import CurlTransport
internal import GLibSupport
internal import Glibc
internal import Helper
internal import Providers
internal import Share
internal import System
internal import UserInterface
internal import Verbs

extension CompositionRoot {
    func sharing(_ outside: VerbDependencies) -> ShareDependencies {
        let (streams, signals) = (streams, signals)
        return ShareDependencies(
            shares: SystemShares(signals: signals, report: { TextOutput.report($0, hanging: 4) }),
            screen: ShareNotification(
                onBus: GLibProcess.sessionBus, locks: FileLocks(), clock: SystemClock(),
                isInterrupted: { signals.look() }),
            clock: SystemClock(),
            // The dependencies for one request of a target: nothing prompts, not even to unlock the keyring.
            dependencies: { CompositionRoot(streams, signals, for: nil, isForTarget: true).dependencies },
            own: outside.dependencies, say: outside.say, words: UserFacingError.unreachable)
    }

    /// Returns the exit status; the process has no keyring, no bus and no terminal.
    static func serveConnection() -> Int32 {
        StandardStreams.openClosed()
        return GatewayProcess.run(
            transport: { configuration, token in
                // Only the passwords may outlive the exchange, not the token.
                let (proxy, key) = (token.proxyPassword, token.keyPassword)
                return CurlTransport(
                    configuration, userAgent: "git-credential-gitspace/\(Version.text)",
                    // The server may take minutes to prepare a pack or to run hooks; git sends progress meanwhile.
                    timeouts: TransportTimeouts(connect: .seconds(30), silence: .seconds(300)),
                    uptimeMilliseconds: { SystemClock().uptimeMilliseconds },
                    // A certificate's request has a path instead of a host.
                    password: { $0.host.isEmpty ? key : proxy }, startsThreads: false)
            }, environment: { Environment[$0] })
    }
}

/// A user interface that reaches no person: a request of a target never leads to a sign-in.
final class NobodyUI: SignInUI {
    private let signals: SignalWatch

    init(_ signals: SignalWatch) { self.signals = signals }

    var canBeReached: Bool { false }
    var hasTerminal: Bool { false }
    var opensBrowser: Bool { false }
    func acquirePromptSlot() -> Bool { false }
    func show(_ prompt: SignInPrompt) {}
    func dismissPrompt() {}
    func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome {
        SystemClock.pause(milliseconds: milliseconds)
        return signals.look() ? .cancelled : .elapsed
    }
    func say(_ notice: Notice) {}
}
