internal import CredentialCore
internal import Glibc
internal import Helper
internal import System

final class SystemSharePlace: SharePlace {
    private let plan: SharePlan
    private let folder: ShareDirectory
    private let listening: ListeningSocket
    private let file: RecordFile
    private let signals: SignalWatch
    private var ssh: SSHShare?

    /// Opens a place: provides git's configuration, or connects.
    ///
    /// `isOfSystemd` returns whether systemd listens for this name.
    init(
        _ plan: SharePlan, isOfSystemd: () -> Bool, _ signals: SignalWatch, _ report: @escaping (Message) -> Void
    ) throws(UserFacingError) {
        self.plan = plan
        self.signals = signals
        folder = try ShareDirectory()
        try folder.make()
        do throws(RecordFile.Failure) {
            file = try RecordFile(locking: folder.record(of: plan.name.text))
        } catch {
            switch error {
            case .held: throw Self.alreadyShared(plan.name)
            case .system(let path, let reason): throw .failed(at: path, reason)
            }
        }
        if plan.kind == .directory, plan.idle == nil {
            // A socket of systemd must not be replaced, and has no lock that would show it.
            guard !isOfSystemd() else { throw Self.alreadyShared(plan.name) }
            try folder.makeTarget(plan.name.text)
        }
        listening = try Self.socket(of: plan, in: folder)
        do throws(UserFacingError) {
            switch plan.kind {
            case .directory: try folder.provide(for: plan)
            case .ssh(let destination):
                ssh = try SSHShare(
                    destination, to: listening.path, control: folder.control(of: plan.name.text),
                    configuration: plan.gatewayConfiguration, report: report, isInterrupted: { signals.look() })
            }
        } catch {
            close()
            throw error
        }
    }

    private static func socket(
        of plan: SharePlan, in directory: ShareDirectory
    ) throws(UserFacingError) -> ListeningSocket {
        do throws(ListeningSocket.Failure) {
            let path = directory.socket(of: plan.name.text)
            if plan.idle != nil { return try ListeningSocket(inheritedAt: path) }
            let socket = try ListeningSocket(at: directory.hiddenSocket(of: plan.name.text))
            if plan.kind == .directory { try socket.move(to: path) }
            return socket
        } catch {
            switch error {
            case .pathTooLong(let path):
                throw UserFacingError(
                    .share,
                    Message("the socket's path is too long (more than 107 bytes): %1$s", DisplayText(trusted: path)),
                    Message("choose a shorter name"))
            case .notHandedOver:
                throw UserFacingError(
                    .share, Message("systemd did not pass a socket for this place"),
                    Message("start the socket, not the service:"),
                    .command("systemctl --user start gitspace-share@NAME.socket"))
            case .system(let path, let reason): throw .failed(at: path, reason)
            }
        }
    }

    private static func alreadyShared(_ name: ShareName) -> UserFacingError {
        UserFacingError(
            .share, Message("\"%1$s\" is shared already", name.displayName), Message("stop it first:"),
            .command("git credential-gitspace share stop \(word: name.text)"))
    }

    var directory: String { ssh?.directory ?? folder.directory(of: plan.name.text) }

    func serve(_ session: any ShareSession, until end: SharePlan.End?) -> ShareEnd {
        // The folder in which the share was started may be removed.
        chdir("/")
        var limits = Listener.Limits()
        limits.idle = plan.idle
        let reason = session.serve(
            listening, within: limits, until: end?.uptime, watching: [signals.number] + (ssh?.numbers ?? []),
            isStopped: { signals.look() || ssh?.hasEnded == true })
        return switch reason {
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
        ssh?.end()
        listening.remove()
        if !listening.isInherited { folder.removeConfiguration(of: plan.name.text) }
    }
}

/// The parent of the targets' directories: `gitspace` in the session's runtime directory, or in the user's cache.
///
/// Never in /tmp, where anyone could create a directory of that name first. An existing directory is used only if it is
/// ours and closed to all others, as in git's own cache (`init_socket_directory` in
/// builtin/credential-cache--daemon.c). Only we and root may be able to replace it: every folder and link on the way
/// belongs to us or root, and is not writable by others, unless it is sticky as /tmp.
struct ShareDirectory {
    let path: String

    /// Determines the path, which need not exist.
    init() throws(UserFacingError) {
        guard let parent = Self.runtime ?? Self.cache else {
            throw UserFacingError(
                .share, Message("there is no folder for the socket, because neither XDG_RUNTIME_DIR nor HOME is set"))
        }
        guard parent.unicodeScalars.allSatisfy(Self.isPlain) else {
            throw UserFacingError(
                .share,
                Message(
                    "the folder's name has a character that is unsafe in a shell: %1$s", DisplayText(trusted: parent)),
                Message(
                    "set XDG_RUNTIME_DIR to a folder without any of these: %1$s", "$ ` ' \" \\ : , %" as DisplayText))
        }
        path = parent + "/gitspace"
        try Self.check(path)
    }

    func directory(of name: String) -> String { "\(path)/\(name)" }
    func socket(of name: String) -> String { "\(path)/\(name)/socket" }
    /// The path of the record, outside the target's directory, which the target can see.
    func record(of name: String) -> String { "\(path)/.\(name).share" }
    /// The path of ssh's own socket; short, since ssh appends to the name while it starts.
    func control(of name: String) -> String { "\(path)/.\(name).ssh" }
    /// A socket that no target sees: ssh forwards it, or it is about to be moved into a target's directory.
    func hiddenSocket(of name: String) -> String { "\(path)/.\(name).socket" }
    private func configuration(of name: String) -> String { "\(directory(of: name))/\(SharePlan.configurationFile)" }

    var names: [String] {
        FolderList.names(in: path, atMost: .max).compactMap { name in
            name.hasPrefix(".") && name.hasSuffix(".share") ? String(name.dropFirst().dropLast(6)) : nil
        }
    }

    /// Creates the directory, and its parent if that is missing.
    func make() throws(UserFacingError) {
        // A new account may have no cache directory yet.
        _ = mkdir(Path.folder(of: path), 0o700)
        try Self.make(path)
        guard let status = FileStatus(withoutFollowing: path), status.permissions & 0o077 == 0 else {
            throw Self.unsafe(path)
        }
        // Check again: others may have created the missing parts.
        try Self.check(path)
    }

    func makeTarget(_ name: String) throws(UserFacingError) {
        let target = directory(of: name)
        try Self.make(target)
        // Others cannot get here, but a target with a writable mount runs as us, and may have changed the permissions.
        guard chmod(target, 0o700) == 0 else { throw .failed(at: target, .last) }
    }

    private static func make(_ path: String) throws(UserFacingError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .failed(at: path, .last) }
        guard let status = FileStatus(withoutFollowing: path) else { throw .failed(at: path, .last) }
        guard status.kind == .directory, status.isOwn else { throw Self.unsafe(path) }
    }

    /// Puts git's configuration into the place's folder, replacing what a target with a writable mount put there.
    func provide(for plan: SharePlan) throws(UserFacingError) {
        let name = plan.name.text
        let (path, beside) = (configuration(of: name), "\(self.path)/.\(name).gitconfig")
        unlink(beside)
        let lines = plan.gatewayConfiguration(in: SharePlan.mountPoint)
        guard !lines.isEmpty else { return removeConfiguration(of: name) }
        do throws(Errno) {
            let file = try FileDescriptor.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            let text = lines.map { $0 + "\n" }.joined()
            guard Array(text.utf8).withUnsafeBytes({ file.write($0) }) else { throw .last }
            try Path.replace(path, with: beside)
        } catch {
            unlink(beside)
            throw .failed(at: path, error)
        }
    }

    func removeConfiguration(of name: String) { unlink(configuration(of: name)) }

    /// Whether a character is safe in pasted commands, in the helper that git passes to a shell, in a mount of podman
    /// (`:`) or docker (`,`), and in ssh's paths, which it expands (`%`, `${`).
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        DisplayText.isVisible(scalar) && !"$`'\"\\:,%".unicodeScalars.contains(scalar)
    }

    private static func check(_ path: String) throws(UserFacingError) {
        do throws(Others.Failure) {
            _ = try Others().resolved(path)
        } catch {
            switch error {
            case .exchangeable(let folder):
                throw UserFacingError(
                    .share, Message("another user could replace %1$s", DisplayText(trusted: folder)),
                    Message("see whose it is, and who may write to it:"), .command("ls -ld \(word: folder)"))
            case .system(let path, let reason): throw .failed(at: path, reason)
            }
        }
    }

    private static var runtime: String? {
        guard let path = Environment["XDG_RUNTIME_DIR"], Path.isAbsolute(path), let status = FileStatus(path),
            status.kind == .directory, status.isOwn, status.permissions & 0o077 == 0
        else { return nil }
        return path
    }

    private static var cache: String? {
        if let path = Environment["XDG_CACHE_HOME"], Path.isAbsolute(path) { return path }
        return Environment["HOME"].flatMap { Path.isAbsolute($0) ? $0 + "/.cache" : nil }
    }

    private static func unsafe(_ path: String) -> UserFacingError {
        UserFacingError(
            .share,
            Message(
                "%1$s must be a folder that belongs to you and that nobody else can open", DisplayText(trusted: path)),
            Message("see what it is:"), .command("ls -ld \(word: path)"))
    }
}

extension UserFacingError {
    static func failed(at path: String, _ reason: Errno) -> UserFacingError {
        UserFacingError(
            .share, Message(verbatim: "\(DisplayText(trusted: path)): \(DisplayText(trusted: reason.text))"))
    }
}
