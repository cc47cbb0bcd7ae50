import Staging
import Testing

/// A fault of a keyring, with the message that a person must get.
struct KeyringFault: Sendable, CustomTestStringConvertible {
    /// The cause of the fault.
    enum Source: Sendable {
        /// There is no keyring.
        case session(Session.Kind)
        /// The keyring is the scripted service in this mode.
        case scripted(String)
        /// Something is done to gnome-keyring, and undone later.
        case done(@Sendable (Session) async throws -> Void, undone: @Sendable (Session) async throws -> Void)
    }

    let testDescription: String
    let source: Source
    /// Whether a display could show a password prompt.
    var hasDisplay = false
    /// The beginning of the message; one of these.
    let sentences: [String]
    /// The end of the hints: a command or another advice.
    let hint: String
    /// Whether a container gets another hint, because a sign-in can come from outside.
    var isHintedInContainers = false

    /// The command that unlocks a keyring without a desktop.
    private static let opening = "git credential-gitspace unlock"

    /// The command that sets up a session bus and a keyring for a machine without a desktop.
    private static let lasting =
        "  sudo apt install gnome-keyring dbus-user-session && sudo loginctl enable-linger \"$USER\""

    /// Every fault after which no credential can be returned.
    static let all = [
        KeyringFault(
            testDescription: "locked, and no prompt can be seen",
            source: .done({ try await $0.control("lock") }, undone: { try await $0.control("unlock") }),
            sentences: ["the keyring is locked and no password prompt can be shown here"], hint: "  \(opening)"),
        KeyringFault(
            testDescription: "locked, and the prompt is dismissed", source: .scripted("dismisses"), hasDisplay: true,
            sentences: ["the keyring was not unlocked"], hint: "run the command again and enter the keyring's password"),
        KeyringFault(
            testDescription: "locked, and stays so after the prompt", source: .scripted("still-locked"),
            hasDisplay: true, sentences: ["the keyring is locked and no password prompt can be shown here"],
            hint: "  \(opening)"),
        KeyringFault(
            testDescription: "no default collection",
            source: .done({ try await $0.control("delete-collection") }, undone: { _ in }),
            sentences: ["the keyring service has no keyring yet"], hint: "  \(opening)"),
        KeyringFault(
            testDescription: "no provider", source: .session(.noProvider), sentences: ["no program provides a keyring"],
            hint: "  sudo apt install gnome-keyring", isHintedInContainers: true),
        KeyringFault(
            testDescription: "no bus", source: .session(.noBus), sentences: ["no keyring is running in this session"],
            hint: lasting, isHintedInContainers: true),
        KeyringFault(
            testDescription: "a bus that is gone", source: .session(.deadAddress),
            sentences: ["no keyring is running in this session"], hint: lasting, isHintedInContainers: true),
        KeyringFault(
            testDescription: "activation never ends", source: .session(.stuckActivation),
            sentences: [unresponsive], hint: "  git credential-gitspace doctor"),
        KeyringFault(
            testDescription: "stopped (SIGSTOP)",
            source: .done({ kill($0.keyring, SIGSTOP) }, undone: { kill($0.keyring, SIGCONT) }),
            sentences: [unresponsive], hint: status),
        KeyringFault(
            testDescription: "never answers", source: .scripted("hangs"), sentences: [unresponsive],
            hint: "check whether the program python3 is hanging; it provides the keyring"),
        KeyringFault(
            testDescription: "denies", source: .scripted("denies"), sentences: ["the keyring denied access"],
            hint: journal),
        KeyringFault(
            testDescription: "answers nonsense", source: .scripted("nonsense"),
            sentences: ["the keyring reported an error"], hint: journal),
        KeyringFault(
            testDescription: "dies when asked for a secret", source: .scripted("dies"),
            sentences: ["the keyring closed the connection while answering", "no program provides a keyring"], hint: ""),
        KeyringFault(
            testDescription: "no secret in the answer", source: .scripted("no-secret"),
            sentences: ["the keyring reported an error"], hint: journal),
    ]

    private static let unresponsive = "the keyring did not answer within 5 seconds"
    private static let status = "  systemctl --user status gnome-keyring-daemon"
    private static let journal = "  journalctl --user -n 20"

    /// Causes the fault, with monalisa's token in the keyring if there is one.
    func begin() async throws -> (fixture: EndToEndFixture, service: ScriptedBusService?, before: [KeyringItem]) {
        let kind: Session.Kind =
            switch source {
            case .session(let kind): kind
            case .scripted: .noProvider
            case .done: .keyring
            }
        let fixture = try await EndToEndFixture(
            host: ScriptedBusService.host, app: .oauthApp(interval: 1), session: kind,
            settings: "provider = github\ngitspaceStore = secretservice")
        switch source {
        case .session: return (fixture, nil, [])
        case .scripted(let mode):
            return (fixture, try await ScriptedBusService(.keyring, mode, in: fixture.session), [])
        case .done(let happen, _):
            try await fixture.signedIn("monalisa")
            let before = try await fixture.session.items()
            try await happen(fixture.session)
            return (fixture, nil, before)
        }
    }
}
