import Staging

/// The notification service of scripted-notifications.py on a session's bus, as long as the object lives.
final class ScriptedDesktop: Sendable {
    /// The service's behaviour; the script describes each mode.
    enum Mode: String { case full, forgetful, plain, silent, stuck }

    struct Call: Decodable {
        let call: String
        var act: String?
        var number: Int?
        var replaced: Int?
        var summary: String?
        var body: String?
        var actions: [String]?
        var urgency: Int?
        var expiry: Int?
    }

    let session: Session
    private let service: ScriptedBusService

    /// Starts the service, by default in a session of its own, and waits until it owns its name on the bus.
    init(_ mode: Mode = .full, in session: Session? = nil) async throws {
        self.session = if let session { session } else { try await Session(.noProvider) }
        service = try await ScriptedBusService(.notifications, mode.rawValue, in: self.session)
    }

    var calls: [Call] { get throws { try told.filter { $0.act == nil } } }

    /// All lines of the service so far, parsed.
    private var told: [Call] {
        get throws { try service.lines.map { try JSONDecoder().decode(Call.self, from: Data($0.utf8)) } }
    }

    var notifications: [Call] { get throws { try calls.filter { $0.call == "Notify" } } }

    /// Waits for a notification, by its number from 1.
    @discardableResult
    func notification(_ count: Int = 1) async throws -> Call {
        try await eventually("notification \(count)") {
            let shown = try notifications
            return shown.count >= count ? shown[count - 1] : nil
        }
    }

    /// Waits for a notification, by its number from 1, and then does something to it.
    @discardableResult
    func notification(_ count: Int = 1, then act: String) async throws -> Call {
        let shown = try await notification(count)
        try await person(act)
        return shown
    }

    /// Waits until a notification was closed.
    func withdrawal() async throws -> Call {
        try await eventually("the end of a notification") { try calls.first { $0.call == "CloseNotification" } }
    }

    /// Does something to the last notification: `press KEY`, `dismiss`, `expire`; another: `press KEY NUMBER`.
    ///
    /// Returns when the signals have been sent.
    func person(_ act: String) async throws {
        let before = try told.count { $0.act == act }
        service.tell(act)
        try await eventually("\(act) by the person") { try told.count { $0.act == act } > before ? true : nil }
    }
}
