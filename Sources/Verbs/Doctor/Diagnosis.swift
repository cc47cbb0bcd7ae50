internal import CredentialCore
internal import Helper

struct Diagnosis: Equatable {
    /// The subject of the check, as programs read it.
    enum Check: String {
        case user, interaction, locks, git, configuration, program, helpers, bus, provider, collection, share, landlock
        case app, network, proxy, certificate, clock, issuer, account
        case roundTrip = "round_trip"
        case clientID = "client_id"
    }

    enum Result: String {
        case ok, fail, warn, skip
    }

    /// The findings that `setup` treats differently.
    enum Code {
        case noClientID
        case noKeyring
        /// git asks for another account than those that are signed in.
        case otherAccount
    }

    let check: Check
    var result: Result
    let text: Message
    let hints: [Message]
    let code: Code?
    /// The account of the finding, and its state; `nil` for other findings.
    var username: DisplayText?
    var state: Account.State?

    init(_ check: Check, _ result: Result, _ text: Message, _ hints: [Message] = [], code: Code? = nil) {
        self.check = check
        self.result = result
        self.text = text
        self.hints = hints
        self.code = code
    }

    init(_ check: Check, _ result: Result, _ error: UserFacingError, code: Code? = nil) {
        self.init(check, result, error.text, error.hints, code: code)
    }

    var lines: [Message] {
        let mark: DisplayText =
            switch result {
            // A finding that is good, but could be better.
            case .ok where !hints.isEmpty: "[NOTE]"
            case .ok: "[ OK ]"
            case .fail: "[FAIL]"
            case .warn: "[WARN]"
            case .skip: "[SKIP]"
            }
        // The blanks are as wide as a mark.
        return [.marked(mark, text)] + hints.map { .marked("      ", $0) }
    }

    /// Whether the finding is good and only printed with `--verbose`.
    var isUnasked: Bool {
        guard result == .ok, hints.isEmpty else { return false }
        return switch check {
        case .locks, .landlock, .bus, .provider, .issuer, .clientID: true
        default: false
        }
    }

    var json: String {
        JSONText.object([
            ("check", JSONText.string(check)), ("result", JSONText.string(result)),
            ("username", username.map { JSONText.string($0) }), ("state", state.map { JSONText.string($0) }),
            ("text", JSONText.string(text)), ("hints", JSONText.list(hints)),
        ])
    }
}
