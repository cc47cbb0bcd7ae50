internal import CredentialCore
internal import Glibc
internal import System

/// Where the person is: at their own desktop, at a remote machine, or in another user's session.
///
/// The variables may be out of date in tmux(1) and screen(1); what is started because of them then fails silently.
package struct DesktopSession {
    /// Our own or a forwarded one.
    private let hasDisplay: Bool
    /// Windows has its own ways to reach browser and clipboard.
    package let isWSL: Bool
    /// The person sees this session's output on another machine.
    private let isRemote: Bool
    /// We run as a user who does not own the desktop: sudo(8), su(1).
    private let isOtherUsers: Bool
    /// VS Code's terminal, which sets `BROWSER` to a program that reaches the editor's window from anywhere.
    private let isEditor: Bool
    package let hasWayland: Bool
    package let hasX: Bool
    /// tmux(1) has its own clipboard and can reach that of the terminal around it.
    package let isInTmux: Bool

    /// The owner is nil if there is no `XDG_RUNTIME_DIR`; the interop starts Windows programs.
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
        isOtherUsers =
            callers.contains { $0 != String(userID) } || runtimeFolderOwner.map { $0 != userID } ?? false
        isInTmux = isSet("TMUX")
        isEditor = environment("TERM_PROGRAM") == "vscode" && isSet("BROWSER")
    }

    /// Nothing indicates that the person is elsewhere, or that another user owns this machine's screen.
    package var isAtThisMachine: Bool { !isRemote && !isOtherUsers }

    /// The person is in front of this machine's own screen.
    package var isOwnDesktop: Bool { (hasDisplay || isWSL) && !isRemote && !isOtherUsers }

    package func canOpen(_ choice: BrowserChoice) -> Bool {
        guard !isOtherUsers else { return false }
        return switch choice {
        case .none: false
        case .commands: true
        case .system: hasDisplay || isWSL
        }
    }

    /// Before the person asks for it.
    ///
    /// Through a forwarded display, a browser on the remote machine would open, slowly, and not the person's own.
    package func opensByItself(_ choice: BrowserChoice) -> Bool {
        guard canOpen(choice) else { return false }
        if case .commands = choice, isEditor { return true }
        return isOwnDesktop
    }
}

extension DesktopSession {
    package static var here: DesktopSession {
        DesktopSession(
            userID: getuid(), runtimeFolderOwner: Environment["XDG_RUNTIME_DIR"].flatMap(owner),
            hasWindowsInterop: access("/proc/sys/fs/binfmt_misc/WSLInterop", F_OK) == 0,
            environment: { Environment[$0] })
    }

    private static func owner(of path: String) -> UInt32? {
        FileStatus(path)?.owner
    }
}
