internal import CredentialCore
package import GLibSupport
internal import Helper
internal import Language
internal import Providers
internal import Share
internal import System

/// The part of the Desktop Notifications Specification 1.2 that a sign-in needs.
final class NotificationService {
    private let bus: BusService
    private let limits: NotificationLimits
    private let isInterrupted: () -> Bool
    private let signals = NotificationSignals()
    /// The capabilities, such as `actions` and `body-markup`.
    let capabilities: [String]

    /// Connects to the service, which the bus may start; `nil` without a bus, a service, or an answer in time.
    ///
    /// `isInterrupted` is called at least every 100 milliseconds of the wait, and ends it by `true`.
    init?(onBus address: SessionBusAddress, limits: NotificationLimits, isInterrupted: @escaping () -> Bool) {
        self.limits = limits
        self.isInterrupted = isInterrupted
        let end = GLibProcess.now + limits.searchMilliseconds
        let bus = BusService(
            "org.freedesktop.Notifications", at: "/org/freedesktop/Notifications", on: address,
            within: limits.searchMilliseconds, unless: isInterrupted)
        let answer = bus?.call(
            "GetCapabilities", answer: "(as)", within: max(end - GLibProcess.now, 1), unless: isInterrupted)
        guard let bus, let capabilities = answer?.member(0)?.strings else { return nil }
        self.bus = bus
        self.capabilities = capabilities
        bus.collectSignals { [signals] in signals.take($0, $1) }
    }

    func close(_ number: UInt32) {
        // The notification is also removed if we were told to end.
        _ = bus.call(
            "CloseNotification", [.uint32(number)], answer: "()", within: limits.endMilliseconds, unless: { false })
    }

    func nextEvent() -> NotificationSignals.Event? { signals.next() }

    /// Waits for an event, or until one of the descriptors can be read or has ended.
    func wait(milliseconds: Int64, reading: [Int32] = [], ending: [Int32] = []) {
        bus.iterate(forMilliseconds: milliseconds, reading: reading, ending: ending) {
            !signals.isEmpty || isInterrupted()
        }
    }

    /// Shows a notification in place of `number`, or of none for 0.
    ///
    /// It stays until it is answered; the one at the end disappears by itself.
    func show(_ text: NotificationText, inPlaceOf number: UInt32, isEnd: Bool = false) -> UInt32? {
        // `resident`: a button does not close the notification, since the code must stay readable.
        let hints: [(name: String, value: VariantValue)] =
            isEnd ? [("urgency", .byte(1))] : [("urgency", .byte(2)), ("resident", .boolean(true))]
        let arguments: [VariantValue] = [
            .string("git-credential-gitspace"), .uint32(number), .string("dialog-password"), .string(text.summary),
            .string(text.body), .strings(text.actions.flatMap { [$0.key, $0.label] }), .properties(hints),
            .int32(isEnd ? -1 : 0),
        ]
        // Without its number, a notification that the service is about to show could not be withdrawn.
        var end: Int64?
        let answer = bus.call(
            "Notify", arguments, answer: "(u)", within: isEnd ? limits.endMilliseconds : limits.showMilliseconds,
            unless: {
                guard !isEnd, isInterrupted() else { return false }
                let moment = end ?? GLibProcess.now + limits.endMilliseconds
                end = moment
                return GLibProcess.now >= moment
            })
        return answer?.member(0)?.uint32
    }
}

/// The signals of the service that have not been handled yet; some services send those of all clients.
package final class NotificationSignals {
    package enum Event: Equatable {
        /// A button was pressed, or the notification itself, whose key is `default`.
        case action(UInt32, key: String)
        /// Reason 1: the notification has expired; 2: the person has dismissed it; 3: `CloseNotification`.
        case closed(UInt32, reason: UInt32)
    }

    /// The most signals to keep; no person presses as often between two reads.
    private static let most = 100

    private var events: [Event] = []
    package init() {}

    /// Keeps the two signals of `Event`, and drops all others.
    package func take(_ member: String, _ arguments: borrowing Variant) {
        guard events.count < Self.most, let number = arguments.member(0)?.uint32 else { return }
        if member == "ActionInvoked", let key = arguments.member(1)?.string { events.append(.action(number, key: key)) }
        if member == "NotificationClosed", let reason = arguments.member(1)?.uint32 {
            events.append(.closed(number, reason: reason))
        }
    }

    var isEmpty: Bool { events.isEmpty }
    package func next() -> Event? { events.isEmpty ? nil : events.removeFirst() }
}

/// The limits of a notification, in milliseconds unless the name says seconds.
package struct NotificationLimits {
    /// The time to find the service, which may have to be started first.
    package var searchMilliseconds: Int64 = 3_000
    package var showMilliseconds: Int64 = 3_000
    /// The time at the end, when git waits for our answer.
    package var endMilliseconds: Int64 = 1_000
    package var patienceMilliseconds: Int64 = 180_000
    package var questionMilliseconds: Int64 = SharePrompt.patience
    package var lockMilliseconds: Int64 = 500
    /// The time without notifications after the person has dismissed one or left it unanswered.
    package var silenceSeconds: Int64 = 600
    /// The time in which a press may close its notification, as with some services.
    package var afterActionMilliseconds: Int64 = 2_000

    package init() {}
}

struct NotificationText {
    /// The keys of buttons, which the service reports.
    enum Button: String {
        /// The notification itself, which some services show as a button too.
        case notification = "default"
        case open
        case copy
        case allow
        case deny
    }

    /// The summary, which never has markup.
    var summary: String
    /// The body, with markup if the service supports it.
    var body: String
    var actions: [(key: String, label: String)] = []

    /// The code comes first, since a service may cut off the end.
    ///
    /// The address is shown even if a button opens it, so that a person can open it on another device.
    init(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?, capabilities: [String],
        aids: NotificationAids
    ) {
        summary = Language.text(SignInWords.need(prompt, askedBy: asker))
        let page = prompt.approval.address
        let code = prompt.approval.userCode
        var lines = [
            code == nil
                ? Message("Approve on %1$s in your browser.", DisplayText(trusted: page.authority))
                : Message("Enter this code on %1$s", page)
        ]
        if prompt.isRenewal { lines.append(SignInWords.renewal) }
        // A code sent by others would sign them in to your account.
        lines.append(Message("Only if you started this yourself."))
        lines += SignInWords.circumstances(prompt, askedBy: asker, in: folder)
        let first = code.map { capabilities.contains("body-markup") ? "<b>\(Self.escaped($0))</b>" : $0 }
        let texts = lines.map { Self.body(Language.text($0), capabilities) }
        body = ([first].compactMap(\.self) + texts).joined(separator: "\n")
        guard capabilities.contains("actions") else { return }
        if aids.open != nil {
            let label = Language.text(Message("Open the page"))
            actions += [(Button.notification.rawValue, label), (Button.open.rawValue, label)]
        }
        if aids.copy != nil, code != nil {
            actions.append((Button.copy.rawValue, Language.text(Message("Copy the code"))))
        }
    }

    static func body(_ text: String, _ capabilities: [String]) -> String {
        capabilities.contains("body-markup") ? escaped(text) : text
    }

    init(signedInAs account: DisplayText, _ storage: CredentialStorage, capabilities: [String]) {
        summary = Language.text(Message("Signed in as %1$s", account))
        body = Self.body(Language.text(Message.kept(in: storage)), capabilities)
    }

    /// The first button must not be the one that allows: a person may press where another button was a moment ago.
    init(_ question: SharePrompt, capabilities: [String]) {
        summary = Language.text(question.question)
        body = Self.body(question.explanation.map { Language.text($0) }.joined(separator: "\n"), capabilities)
        actions = [
            (Button.deny.rawValue, Language.text(SharePrompt.denyButton)),
            (Button.allow.rawValue, Language.text(SharePrompt.allowButton)),
        ]
    }

    static func escaped(_ text: String) -> String {
        // Scalars, since `<` and a combining character after it are one `Character`.
        let escapes: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}
