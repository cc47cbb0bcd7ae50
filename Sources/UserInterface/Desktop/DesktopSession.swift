internal import CredentialCore
internal import Glibc
internal import System

/// The place of the person: at their own desktop, at a remote machine, or in another user's session.
///
/// The variables may be out of date in tmux(1) and screen(1); programs that are started because of them fail silently.
package struct DesktopSession {
    /// Whether there is a display, our own or a forwarded one.
    private let hasDisplay: Bool
    /// Whether this is WSL, where Windows programs reach browser and clipboard.
    package let isWSL: Bool
    private let isRemote: Bool
    /// Whether we run as a user who does not own the desktop: sudo(8), su(1).
    private let isOtherUsers: Bool
    /// Whether this is VS Code's terminal, whose `BROWSER` reaches the editor's window from anywhere.
    private let isEditor: Bool
    package let hasWayland: Bool
    package let hasX: Bool
    /// Whether this is tmux(1), which has its own clipboard and can reach that of the terminal around it.
    package let isInTmux: Bool

    /// `runtimeFolderOwner` is `nil` without `XDG_RUNTIME_DIR`; the interop starts Windows programs.
    package init(
        userID: UInt32, runtimeFolderOwner: UInt32?, hasWindowsInterop: Bool, environment: (String) -> String?
    ) {
        func isSet(_ name: String) -> Bool { environment(name)?.isEmpty == false }
        let display = environment("DISPLAY") ?? ""
        hasWayland = isSet("WAYLAND_DISPLAY")
        hasX = !display.isEmpty
        hasDisplay = hasWayland || hasX
        isWSL = hasWindowsInterop || isSet("WSL_DISTRO_NAME")
        // X(7): HOST:NUMBER. sshd(8) sets `localhost:10.0`; a local display has no host, or is the path of a socket.
        let isForwarded = hasX && !hasWayland && ![":", "/", "unix:"].contains { display.hasPrefix($0) }
        isRemote = isForwarded || ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains(where: isSet)
        let callers = ["SUDO_UID", "PKEXEC_UID"].compactMap { environment($0) }
        isOtherUsers = callers.contains { $0 != String(userID) } || runtimeFolderOwner.map { $0 != userID } ?? false
        isInTmux = isSet("TMUX")
        isEditor = environment("TERM_PROGRAM") == "vscode" && isSet("BROWSER")
    }

    /// Whether no variable shows that the person is elsewhere, or that another user owns this machine's screen.
    package var isAtThisMachine: Bool { !isRemote && !isOtherUsers }

    /// Whether the person is in front of this machine's own screen.
    package var isOwnDesktop: Bool { (hasDisplay || isWSL) && !isRemote && !isOtherUsers }

    package func canOpen(_ choice: BrowserChoice) -> Bool {
        guard !isOtherUsers else { return false }
        return switch choice {
        case .none: false
        case .commands: true
        case .system: hasDisplay || isWSL
        }
    }

    /// Returns whether the page opens before the person asks for it.
    ///
    /// A forwarded display would show a slow browser of the remote machine.
    package func opensByItself(_ choice: BrowserChoice) -> Bool {
        guard canOpen(choice) else { return false }
        if case .commands = choice, isEditor { return true }
        return isOwnDesktop
    }
}

extension DesktopSession {
    package static var here: DesktopSession {
        DesktopSession(
            userID: getuid(), runtimeFolderOwner: Environment["XDG_RUNTIME_DIR"].flatMap { FileStatus($0)?.owner },
            hasWindowsInterop: access("/proc/sys/fs/binfmt_misc/WSLInterop", F_OK) == 0,
            environment: { Environment[$0] })
    }
}
