internal import CredentialCore
internal import Glibc
package import Helper
internal import Sandbox
package import System

/// The targets of this user, by their directories, locks and units.
package struct SystemShares: Shares {
    private let signals: SignalWatch
    private let report: (Message) -> Void

    /// `report` shows messages of ssh and the machine behind it.
    package init(signals: SignalWatch, report: @escaping (Message) -> Void) {
        self.signals = signals
        self.report = report
    }

    /// Milliseconds that a target may take to stop, also by systemd, since it finishes a refresh first.
    private static let patience: Int64 = 45_000
    /// The time limit for a list of systemd's units, in milliseconds.
    private static let unitPatience: Int64 = 10_000

    package func open(_ plan: SharePlan) throws(UserFacingError) -> any SharePlace {
        try SystemSharePlace(plan, isOfSystemd: { Self.activeUnits.contains(plan.name.text) }, signals, report)
    }

    package func prepare(_ plan: SharePlan) throws(UserFacingError) { try ShareDirectory().provide(for: plan) }

    /// All shares by lock or systemd: a socket in a target's directory may be the target's own.
    package var all: [FoundShare] {
        guard let directory = try? ShareDirectory() else { return [] }
        let running = directory.names.filter { RecordFile.holder(of: directory.record(of: $0)) != .none }
        return Set(running + Self.activeUnits).sorted().compactMap { text in
            ShareName(text).map { FoundShare(name: $0, record: record(of: $0), isRunning: running.contains(text)) }
        }
    }

    /// The names for which systemd listens.
    ///
    /// The list is parsed, since systemctl reports success without doing anything if it suspects a chroot.
    private static var activeUnits: [String] {
        let units = systemctl(
            within: unitPatience,
            ["list-units", "--type=socket", "--state=active", "--plain", "--no-legend", "\(unitPrefix)*"])
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
        // Stop systemd first: it would start the process again at the next request.
        let hadUnits = Self.activeUnits.contains(name.text)
        let units = ["socket", "service"].map { "\(Self.unitPrefix)\(name.text).\($0)" }
        if hadUnits, Self.systemctl(within: Self.patience, ["stop"] + units) == nil {
            throw UserFacingError(
                .share, Message("systemd could not stop the units of \"%1$s\"", name.displayName),
                Message("find out why with:"),
                .command("systemctl --user stop \(DisplayText(trusted: units.joined(separator: " ")))"))
        }
        let process: Int32
        switch RecordFile.holder(of: path) {
        case .none: return hadUnits
        case .process(let holder): process = holder
        case .elsewhere:
            throw UserFacingError(
                .share, Message("\"%1$s\" is shared by a process that cannot be stopped from here", name.displayName),
                Message("stop it where it was started, for example outside this container:"),
                .command("git credential-gitspace share stop \(word: name.text)"))
        }
        kill(process, SIGTERM)
        let end = SystemClock().uptimeMilliseconds + Self.patience
        while RecordFile.holder(of: path) == .process(process) {
            guard SystemClock().uptimeMilliseconds < end, !signals.look() else {
                throw UserFacingError(
                    .share, Message("\"%1$s\" could not be stopped", name.displayName), Message("end its process:"),
                    .command("kill \(Int(process))"))
            }
            SystemClock.pause(milliseconds: 20)
        }
        return true
    }

    package func forget(_ name: ShareName) {
        guard let path = try? ShareDirectory().record(of: name.text) else { return }
        // Clear the record under its lock without removing it: a process that is about to lock the opened file would
        // lock a file that others no longer find.
        try? RecordFile(locking: path).write([])
    }

    package var confinesConnections: Bool { Confinement.landlockVersion != nil }
    package var confinesContainers: Bool { FileStatus("/sys/fs/selinux/enforce") != nil }

    private static let unitPrefix = "gitspace-share@"

    private static func systemctl(within milliseconds: Int64, _ arguments: [String]) -> [UInt8]? {
        ChildProcess.output(of: ["systemctl", "--user"] + arguments, within: milliseconds)
    }
}
