internal import CredentialCore
internal import Glibc
internal import Helper
internal import Listener
internal import Messages
internal import System
internal import Verbs

/// The places of this user, by their directories, locks and units.
struct SystemPlaces: SharePlaces {
    let signals: SignalWatch

    /// How long a place may take to stop, in milliseconds: a refresh that has begun is finished first.
    private static let patience: Int64 = 45_000
    /// How long systemd may take, in milliseconds.
    private static let unitPatience: Int64 = 10_000

    func open(_ name: PlaceName, isActivated: Bool) throws(UserFacingError) -> any OpenPlace {
        let directory = try Self.directory()
        do throws(ShareDirectory.Failure) {
            try directory.make(name.text)
        } catch {
            throw .share(ShareFailure(error))
        }
        let file: RecordFile
        do throws(RecordFile.Failure) {
            file = try RecordFile(locking: directory.record(of: name.text))
        } catch {
            throw .share(ShareFailure(error, name, directory.record(of: name.text)))
        }
        let path = directory.socket(of: name.text)
        do throws(ListeningSocket.Failure) {
            let socket = try isActivated ? ListeningSocket(inheritedAt: path) : ListeningSocket(at: path)
            return ServedPlace(
                socket, file, directory.directory(of: name.text), control: directory.control(of: name.text), signals)
        } catch {
            throw .share(ShareFailure(error, name, path))
        }
    }

    var all: [FoundPlace] {
        guard let directory = try? Self.directory() else { return [] }
        let listening = ListeningSocket.paths
        return directory.names.compactMap { PlaceName($0) }.compactMap { name in
            let isRunning = RecordFile.holder(of: directory.record(of: name.text)) != .none
            guard isRunning || listening.contains(directory.socket(of: name.text)) else { return nil }
            return FoundPlace(name: name, record: record(of: name), isRunning: isRunning)
        }
    }

    func record(of name: PlaceName) -> ShareRecord? {
        guard let directory = try? Self.directory() else { return nil }
        let text = RecordFile.text(of: directory.record(of: name.text))
        return text.isEmpty ? nil : ShareRecord(parsing: text)
    }

    func stop(_ name: PlaceName) throws(UserFacingError) -> Bool {
        let path = try Self.directory().record(of: name.text)
        // systemd first: it would start the process again with the next request.
        let units = ["gitspace-share@\(name.text).socket", "gitspace-share@\(name.text).service"]
        let hadUnits =
            Self.systemctl("is-active", "--quiet", units[0]) && Self.systemctl(["stop"] + units)
        let process: Int32
        switch RecordFile.holder(of: path) {
        case .none: return hadUnits
        case .process(let holder): process = holder
        case .elsewhere: throw .share(.notStopped(name, process: nil))
        }
        kill(process, SIGTERM)
        let end = SystemClock().uptimeMilliseconds + Self.patience
        while RecordFile.holder(of: path) == .process(process) {
            guard SystemClock().uptimeMilliseconds < end, !signals.look() else {
                throw .share(.notStopped(name, process: Int(process)))
            }
            SystemClock.pause(milliseconds: 20)
        }
        return true
    }

    func forget(_ name: PlaceName) {
        guard let path = try? Self.directory().record(of: name.text) else { return }
        // Under the lock, and not removed: a process that has opened it and is about to lock it would hold the lock of a
        // file that nobody else finds.
        try? RecordFile(locking: path).write([])
    }

    var confinesContainers: Bool { FileStatus("/sys/fs/selinux/enforce") != nil }

    private static func directory() throws(UserFacingError) -> ShareDirectory {
        do throws(ShareDirectory.Failure) {
            return try ShareDirectory()
        } catch {
            throw .share(ShareFailure(error))
        }
    }

    private static func systemctl(_ arguments: String...) -> Bool { systemctl(arguments) }

    private static func systemctl(_ arguments: [String]) -> Bool {
        ChildProcess.output(of: ["systemctl", "--user"] + arguments, within: unitPatience) != nil
    }
}

/// A place with its socket and its lock.
private final class ServedPlace: OpenPlace {
    let directory: String
    let control: String
    private let listening: ListeningSocket
    private let file: RecordFile
    private let signals: SignalWatch

    init(
        _ socket: ListeningSocket, _ file: RecordFile, _ directory: String, control: String, _ signals: SignalWatch
    ) {
        self.control = control
        listening = socket
        self.file = file
        self.directory = directory
        self.signals = signals
    }

    var socket: String { listening.path }

    func serve(
        until end: Int64?, idle: Int64?, holding hold: (any ShareHold)?, _ responder: ShareResponder
    ) -> ShareEnd {
        var limits = Listener.Limits()
        limits.request = ShareRequest.longest
        limits.idle = idle
        let own = geteuid()
        let listener = Listener(on: listening, limits: limits, admits: { SharePolicy.admits(user: $0, own: own) })
        let end = listener.run(
            until: end, watching: [signals.number] + (hold?.numbers ?? []),
            isStopped: { signals.look() || hold?.hasEnded == true }, mayIdle: { !responder.isHolding },
            tick: { responder.watchScreen() },
            answer: { incoming in
                responder.answer(
                    incoming.bytes, from: SharePeer(process: incoming.process, user: incoming.user),
                    arrivedAt: incoming.arrival, whileWaiting: { listener.takeIn() })
            })
        return switch end {
        case .elapsed: .elapsed
        case .idle: .idle
        case .stopped: signals.hasFired ? .stopped : .disconnected
        }
    }

    var lastRecord: ShareRecord? {
        let text = file.text
        return text.isEmpty ? nil : ShareRecord(parsing: text)
    }

    func write(_ record: ShareRecord) { file.write(record.text) }

    func close() { listening.remove() }
}

extension ShareFailure {
    fileprivate init(_ failure: ShareDirectory.Failure) {
        self =
            switch failure {
            case .nowhere: .nowhere
            case .foreign(let path), .open(let path): .unsafe(path: DisplayText(own: path))
            case .unquotable(let path): .unquotable(path: DisplayText(own: path))
            case .exchangeable(let path): .exchangeable(path: DisplayText(own: path))
            case .system(let path, let number): .system(path: DisplayText(own: path), number: number)
            }
    }

    fileprivate init(_ failure: RecordFile.Failure, _ name: PlaceName, _ path: String) {
        self =
            switch failure {
            case .held: .alreadyShared(name)
            case .system(let number): .system(path: DisplayText(own: path), number: number)
            }
    }

    fileprivate init(_ failure: ListeningSocket.Failure, _ name: PlaceName, _ path: String) {
        let shown = DisplayText(own: path)
        self =
            switch failure {
            case .inUse: .alreadyShared(name)
            case .foreign: .unsafe(path: shown)
            case .tooLong: .pathTooLong(shown)
            case .notHandedOver: .notHandedOver
            case .system(let number): .system(path: shown, number: number)
            }
    }

    fileprivate static func system(path: DisplayText, number: Int32) -> ShareFailure {
        .system(path: path, reason: DisplayText(own: String(cString: strerror(number))))
    }
}
