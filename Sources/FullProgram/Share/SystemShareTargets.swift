internal import CredentialCore
internal import Glibc
internal import Helper
internal import Messages
internal import System
internal import Verbs

/// The places of this user, by their directories, locks and units.
struct SystemShareTargets: ShareTargets {
    let signals: SignalWatch

    /// How long a place may take to stop, in milliseconds: a refresh that has begun is finished first.
    private static let patience: Int64 = 45_000
    /// How long systemd may take, in milliseconds.
    private static let unitPatience: Int64 = 10_000

    func open(
        _ name: PlaceName, _ kind: ShareTarget.Kind, isActivated: Bool
    ) throws(UserFacingError) -> any OpenPlace {
        do throws(ShareError) {
            let directory = try ShareDirectory()
            try directory.make()
            let file = try RecordFile(locking: directory.record(of: name.text))
            let socket = try socket(name, kind, in: directory, isActivated: isActivated)
            return ServedPlace(
                socket, file, directory.directory(of: name.text), control: directory.control(of: name.text), signals)
        } catch {
            throw UserFacingError(error, name)
        }
    }

    /// With the lock of that name held.
    private func socket(
        _ name: PlaceName, _ kind: ShareTarget.Kind, in directory: ShareDirectory, isActivated: Bool
    ) throws(ShareError) -> ListeningSocket {
        let path = directory.socket(of: name.text)
        if isActivated { return try ListeningSocket(inheritedAt: path) }
        let hidden = directory.hiddenSocket(of: name.text)
        guard kind == .directory else { return try ListeningSocket(at: hidden) }
        // systemd's socket needs no lock, and must not be replaced.
        guard !Self.systemctl("is-active", "--quiet", Self.unit(name)) else { throw .alreadyShared }
        try directory.makePlace(name.text)
        let socket = try ListeningSocket(at: hidden)
        do throws(ShareError) {
            try socket.move(to: path)
        } catch {
            socket.remove()
            throw error
        }
        return socket
    }

    /// What listens in a place's directory may be the place itself: a lock or systemd tells what is shared.
    var all: [FoundPlace] {
        guard let directory = try? ShareDirectory() else { return [] }
        let running = directory.names.filter { RecordFile.holder(of: directory.record(of: $0)) != .none }
        return Set(running + Self.activeUnits).sorted().compactMap { text in
            PlaceName(text).map { FoundPlace(name: $0, record: record(of: $0), isRunning: running.contains(text)) }
        }
    }

    /// The names for which systemd listens.
    private static var activeUnits: [String] {
        let command = ["list-units", "--type=socket", "--state=active", "--plain", "--no-legend", "\(unitPrefix)*"]
        return (output(of: command) ?? []).split(separator: UInt8(ascii: "\n")).compactMap { line in
            let unit = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            guard unit.hasPrefix(unitPrefix), unit.hasSuffix(".socket") else { return nil }
            return String(unit.dropFirst(unitPrefix.count).dropLast(7))
        }
    }

    func record(of name: PlaceName) -> ShareRecord? {
        guard let directory = try? ShareDirectory() else { return nil }
        let text = RecordFile.text(of: directory.record(of: name.text))
        return text.isEmpty ? nil : ShareRecord(parsing: text)
    }

    func stop(_ name: PlaceName) throws(UserFacingError) -> Bool {
        let path: String
        do throws(ShareError) {
            path = try ShareDirectory().record(of: name.text)
        } catch {
            throw UserFacingError(error, name)
        }
        // systemd first: it would start the process again with the next request.
        let hadUnits =
            Self.systemctl("is-active", "--quiet", Self.unit(name))
            && Self.systemctl("stop", Self.unit(name), Self.unit(name, "service"))
        let process: Int32
        switch RecordFile.holder(of: path) {
        case .none: return hadUnits
        case .process(let holder): process = holder
        case .elsewhere:
            throw UserFacingError(
                .share,
                Message(
                    "\"%1$s\" is shared by a process that cannot be stopped from here", DisplayText(trusted: name.text)),
                [
                    Message("stop it where it was started, for example outside this container:"),
                    .command("git credential-gitspace share stop \(word: name.text)"),
                ])
        }
        kill(process, SIGTERM)
        let end = SystemClock().uptimeMilliseconds + Self.patience
        while RecordFile.holder(of: path) == .process(process) {
            guard SystemClock().uptimeMilliseconds < end, !signals.look() else {
                throw UserFacingError(
                    .share, Message("\"%1$s\" could not be stopped", DisplayText(trusted: name.text)),
                    [Message("end its process:"), .command("kill \(Int(process))")])
            }
            SystemClock.pause(milliseconds: 20)
        }
        return true
    }

    func forget(_ name: PlaceName) {
        guard let path = try? ShareDirectory().record(of: name.text) else { return }
        // Under the lock, and not removed: a process that has opened it and is about to lock it would hold the lock of a
        // file that nobody else finds.
        try? RecordFile(locking: path).write([])
    }

    var confinesContainers: Bool { FileStatus("/sys/fs/selinux/enforce") != nil }

    private static let unitPrefix = "gitspace-share@"

    private static func unit(_ name: PlaceName, _ kind: String = "socket") -> String {
        "\(unitPrefix)\(name.text).\(kind)"
    }

    private static func systemctl(_ arguments: String...) -> Bool { output(of: arguments) != nil }

    private static func output(of arguments: [String]) -> [UInt8]? {
        ChildProcess.output(of: ["systemctl", "--user"] + arguments, within: unitPatience)
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
        let listener = Listener(
            on: listening, limits: limits,
            admits: { user in
                let isAdmitted = SharePolicy.admits(user: user, own: own)
                if !isAdmitted { responder.turnAway(user: user) }
                return isAdmitted
            })
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

extension UserFacingError {
    fileprivate init(_ error: ShareError, _ name: PlaceName) {
        self =
            switch error {
            case .nowhere:
                UserFacingError(
                    .share,
                    Message("there is no folder for the socket, because neither XDG_RUNTIME_DIR nor HOME is set"))
            case .alreadyShared:
                UserFacingError(
                    .share, Message("\"%1$s\" is shared already", DisplayText(trusted: name.text)),
                    [Message("stop it first:"), .command("git credential-gitspace share stop \(word: name.text)")])
            case .unsafe(let path):
                UserFacingError(
                    .share,
                    Message(
                        "%1$s must be a folder that belongs to you and that nobody else can open",
                        DisplayText(trusted: path)),
                    [Message("see what it is:"), .command("ls -ld \(word: path)")])
            case .unquotable(let path):
                UserFacingError(
                    .share,
                    Message(
                        "the folder's name has a character that cannot stand in a command: %1$s",
                        DisplayText(trusted: path)),
                    [
                        Message(
                            "set XDG_RUNTIME_DIR to a folder without any of these: %1$s",
                            "$ ` ' \" \\ : , %" as DisplayText)
                    ])
            case .exchangeable(let path):
                UserFacingError(
                    .share, Message("%1$s: another user could put something else there", DisplayText(trusted: path)),
                    [Message("see whose it is, and who may write to it:"), .command("ls -ld \(word: path)")])
            case .pathTooLong(let path):
                UserFacingError(
                    .share,
                    Message("the socket's path is too long (more than 107 bytes): %1$s", DisplayText(trusted: path)),
                    [Message("choose a shorter name")])
            case .notHandedOver:
                UserFacingError(
                    .share, Message("systemd did not pass a socket for this place"),
                    [
                        Message("start the socket, not the service:"),
                        .command("systemctl --user start gitspace-share@NAME.socket"),
                    ])
            case .system(let path, let number):
                UserFacingError(
                    .share,
                    Message(
                        verbatim:
                            "\(DisplayText(trusted: path)): \(DisplayText(trusted: String(cString: strerror(number))))")
                )
            }
    }
}
