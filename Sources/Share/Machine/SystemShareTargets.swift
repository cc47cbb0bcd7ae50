internal import CredentialCore
internal import Glibc
package import Messages
internal import Sandbox
package import System

/// The targets of this user, by their directories, locks and units.
package struct SystemShareTargets: ShareTargets {
    private let signals: SignalWatch

    package init(signals: SignalWatch) { self.signals = signals }

    /// How long a target may take to stop, in milliseconds: a refresh that has begun is finished first.
    private static let patience: Int64 = 45_000
    /// How long systemd may take, in milliseconds.
    private static let unitPatience: Int64 = 10_000

    package func open(
        _ name: ShareName, _ kind: ShareTarget.Kind, isActivated: Bool
    ) throws(UserFacingError) -> any OpenShare {
        let directory = try ShareDirectory()
        try directory.make()
        let file: RecordFile
        do throws(RecordFile.Failure) {
            file = try RecordFile(locking: directory.record(of: name.text))
        } catch {
            switch error {
            case .held: throw Self.alreadyShared(name)
            case .system(let path, let reason): throw .failed(at: path, reason)
            }
        }
        if kind == .directory, !isActivated {
            // systemd's socket needs no lock, and must not be replaced.
            guard !Self.activeUnits.contains(name.text) else { throw Self.alreadyShared(name) }
            try directory.makeTarget(name.text)
        }
        return ServedShare(
            try Self.socket(of: name, kind, in: directory, isActivated: isActivated), file,
            directory.directory(of: name.text), control: directory.control(of: name.text), signals)
    }

    private static func socket(
        of name: ShareName, _ kind: ShareTarget.Kind, in directory: ShareDirectory, isActivated: Bool
    ) throws(UserFacingError) -> ListeningSocket {
        do throws(ListeningSocket.Failure) {
            let path = directory.socket(of: name.text)
            if isActivated { return try ListeningSocket(inheritedAt: path) }
            let socket = try ListeningSocket(at: directory.hiddenSocket(of: name.text))
            if kind == .directory { try socket.move(to: path) }
            return socket
        } catch {
            switch error {
            case .pathTooLong(let path):
                throw UserFacingError(
                    .share,
                    Message("the socket's path is too long (more than 107 bytes): %1$s", DisplayText(trusted: path)),
                    [Message("choose a shorter name")])
            case .notHandedOver:
                throw UserFacingError(
                    .share, Message("systemd did not pass a socket for this place"),
                    [
                        Message("start the socket, not the service:"),
                        .command("systemctl --user start gitspace-share@NAME.socket"),
                    ])
            case .system(let path, let reason): throw .failed(at: path, reason)
            }
        }
    }

    private static func alreadyShared(_ name: ShareName) -> UserFacingError {
        UserFacingError(
            .share, Message("\"%1$s\" is shared already", DisplayText(trusted: name.text)),
            [Message("stop it first:"), .command("git credential-gitspace share stop \(word: name.text)")])
    }

    /// Whatever stands there: whoever has the folder mounted writable may have put it there.
    package func provide(_ configuration: [String], to name: ShareName) throws(UserFacingError) {
        let directory = try ShareDirectory()
        let path = "\(directory.directory(of: name.text))/\(GatewayConfiguration.file)"
        let beside = directory.hiddenConfiguration(of: name.text)
        unlink(beside)
        guard !configuration.isEmpty else {
            unlink(path)
            return
        }
        do throws(Errno) {
            let file = try FileDescriptor.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            let text = configuration.map { $0 + "\n" }.joined()
            guard Array(text.utf8).withUnsafeBytes({ file.write($0) }) else { throw .last }
            try Path.replace(path, with: beside)
        } catch {
            unlink(beside)
            throw .failed(at: path, error)
        }
    }

    /// What listens in a target's directory may be the target itself: a lock or systemd tells what is shared.
    package var all: [FoundShare] {
        guard let directory = try? ShareDirectory() else { return [] }
        let running = directory.names.filter { RecordFile.holder(of: directory.record(of: $0)) != .none }
        return Set(running + Self.activeUnits).sorted().compactMap { text in
            ShareName(text).map { FoundShare(name: $0, record: record(of: $0), isRunning: running.contains(text)) }
        }
    }

    /// The names for which systemd listens.
    ///
    /// It is asked for a list, since in what it takes for a chroot systemctl does nothing, and calls that a success.
    private static var activeUnits: [String] {
        let units = systemctl(
            "list-units", "--type=socket", "--state=active", "--plain", "--no-legend", "\(unitPrefix)*")
        return (units ?? []).split(separator: UInt8(ascii: "\n")).compactMap { line in
            let unit = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            guard unit.hasPrefix(unitPrefix), unit.hasSuffix(".socket") else { return nil }
            return String(unit.dropFirst(unitPrefix.count).dropLast(7))
        }
    }

    package func record(of name: ShareName) -> ShareRecord? {
        guard let directory = try? ShareDirectory() else { return nil }
        let text = RecordFile.text(of: directory.record(of: name.text))
        return text.isEmpty ? nil : ShareRecord(parsing: text)
    }

    package func stop(_ name: ShareName) throws(UserFacingError) -> Bool {
        let path = try ShareDirectory().record(of: name.text)
        // systemd first: it would start the process again with the next request.
        let hadUnits =
            Self.activeUnits.contains(name.text)
            && Self.systemctl("stop", Self.unit(name, "socket"), Self.unit(name, "service")) != nil
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

    package func forget(_ name: ShareName) {
        guard let path = try? ShareDirectory().record(of: name.text) else { return }
        // Under the lock, and not removed: a process that has opened it and is about to lock it would hold the lock of a
        // file that nobody else finds.
        try? RecordFile(locking: path).write([])
    }

    package var confinesConnections: Bool { Confinement.landlockVersion != nil }

    package var confinesContainers: Bool { FileStatus("/sys/fs/selinux/enforce") != nil }

    private static let unitPrefix = "gitspace-share@"

    private static func unit(_ name: ShareName, _ kind: String) -> String {
        "\(unitPrefix)\(name.text).\(kind)"
    }

    /// What it prints; nil if it fails.
    private static func systemctl(_ arguments: String...) -> [UInt8]? {
        ChildProcess.output(of: ["systemctl", "--user"] + arguments, within: unitPatience)
    }
}

/// A target with its socket and its lock.
private final class ServedShare: OpenShare {
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
        // The folder where the share was started may be changed or removed.
        chdir("/")
        var limits = Listener.Limits()
        limits.idle = idle
        let session: any ConnectionService
        switch responder.target.access {
        case .gateway(let policy):
            limits.rate = GatewaySession.rate
            session = GatewaySession(under: policy, responder)
        case .token:
            session = RequestConnections { incoming, whileWaiting in
                responder.answer(
                    incoming.request, from: SharePeer(process: incoming.process, user: incoming.user),
                    arrivedAt: incoming.arrival, whileWaiting: whileWaiting)
            }
        }
        defer { (session as? GatewaySession)?.end() }
        let own = geteuid()
        let listener = Listener(
            on: listening, limits: limits,
            admits: { user in
                let isAdmitted = SharePolicy.admits(user: user, own: own)
                if !isAdmitted { responder.turnAway(user: user) }
                return isAdmitted
            }, session)
        return shareEnd(
            listener.run(
                until: end, watching: [signals.number] + (hold?.numbers ?? []),
                isStopped: { [signals] in signals.look() || hold?.hasEnded == true },
                mayIdle: { !responder.isHolding }, tick: { responder.watchScreen() }))
    }

    private func shareEnd(_ end: Listener.End) -> ShareEnd {
        switch end {
        case .elapsed: .elapsed
        case .idle: .idle
        case .stopped: !signals.hasFired ? .disconnected : signals.isInterrupt ? .interrupted : .stopped
        }
    }

    var lastRecord: ShareRecord? {
        let text = file.text
        return text.isEmpty ? nil : ShareRecord(parsing: text)
    }

    func write(_ record: ShareRecord) { file.write(record.text) }

    func close() {
        listening.remove()
        if !listening.isInherited { unlink("\(directory)/\(GatewayConfiguration.file)") }
    }
}
