internal import CredentialCore
internal import Glibc
internal import Messages
internal import System

/// The parent of the targets' directories: `gitspace` in the session's runtime directory, or in the user's cache.
///
/// Never in /tmp, where anyone could create a directory of that name first. An existing directory is used only if it is
/// ours and closed to all others, as in git's own cache (`init_socket_directory` in
/// builtin/credential-cache--daemon.c). A new one is created with these permissions, not restricted afterwards. Nobody
/// but us and root may be able to put another in its place: no folder or link on the way to it is another user's, and
/// no folder is writable by others, unless it is sticky as /tmp.
struct ShareDirectory {
    /// Absolute.
    let path: String

    /// It need not exist.
    init() throws(UserFacingError) {
        guard let parent = Self.runtime ?? Self.cache else {
            throw UserFacingError(
                .share, Message("there is no folder for the socket, because neither XDG_RUNTIME_DIR nor HOME is set"))
        }
        guard parent.unicodeScalars.allSatisfy(Self.isPlain) else {
            throw UserFacingError(
                .share,
                Message(
                    "the folder's name has a character that is unsafe in a shell: %1$s",
                    DisplayText(trusted: parent)),
                [
                    Message(
                        "set XDG_RUNTIME_DIR to a folder without any of these: %1$s",
                        "$ ` ' \" \\ : , %" as DisplayText)
                ])
        }
        path = parent + "/gitspace"
        try Self.check(path)
    }

    /// It need not exist.
    func directory(of name: String) -> String { "\(path)/\(name)" }
    func socket(of name: String) -> String { "\(path)/\(name)/socket" }
    /// Beside the target's directory, since the target must not see it.
    func record(of name: String) -> String { "\(path)/.\(name).share" }
    /// For ssh's own socket; as short as possible, since ssh adds to the name while it starts.
    func control(of name: String) -> String { "\(path)/.\(name).ssh" }
    /// For a socket that no target sees: one to which ssh leads, or one that is about to be put into a target's directory.
    func hiddenSocket(of name: String) -> String { "\(path)/.\(name).socket" }

    /// The same for what git inside reads.
    func hiddenConfiguration(of name: String) -> String { "\(path)/.\(name).gitconfig" }

    /// Those with a record, also of what is no longer shared.
    var names: [String] {
        FolderList.names(in: path, atMost: .max).compactMap { name in
            name.hasPrefix(".") && name.hasSuffix(".share") ? String(name.dropFirst().dropLast(6)) : nil
        }
    }

    /// With its parents.
    func make() throws(UserFacingError) {
        // A new account may have no cache directory yet.
        _ = mkdir(Path.folder(of: path), 0o700)
        try Self.make(path)
        guard let status = FileStatus(withoutFollowing: path), status.permissions & 0o077 == 0 else {
            throw Self.unsafe(path)
        }
        // Once more: what was not there has been made by somebody, who need not be us.
        try Self.check(path)
    }

    /// In the directory, which is there.
    func makeTarget(_ name: String) throws(UserFacingError) {
        let target = directory(of: name)
        try Self.make(target)
        // Nobody else gets here; but a target with the mount writable is us, and may have changed the permissions.
        guard chmod(target, 0o700) == 0 else { throw .failed(at: target, .last) }
    }

    private static func make(_ path: String) throws(UserFacingError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .failed(at: path, .last) }
        guard let status = FileStatus(withoutFollowing: path) else { throw .failed(at: path, .last) }
        guard status.kind == .directory, status.isOwn else { throw Self.unsafe(path) }
    }

    /// Whether a character can stand in the commands that a person pastes, in the helper that git passes to a shell, in
    /// a mount of podman (`:`) or docker (`,`), and in ssh's paths, which it expands (`%`, `${`).
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
                    [Message("see whose it is, and who may write to it:"), .command("ls -ld \(word: folder)")])
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
            [Message("see what it is:"), .command("ls -ld \(word: path)")])
    }
}

extension UserFacingError {
    static func failed(at path: String, _ reason: Errno) -> UserFacingError {
        UserFacingError(
            .share, Message(verbatim: "\(DisplayText(trusted: path)): \(DisplayText(trusted: reason.text))"))
    }
}
