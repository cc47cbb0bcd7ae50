internal import CredentialCore

/// Where the person sits: at a desktop of their own, at the other end of a wire, in somebody else's place.
///
/// The variables may be stale in tmux(1) and screen(1); what is started because of them then fails in silence.
package struct DesktopSession {
    /// A display is there, ours or a forwarded one.
    private let hasDisplay: Bool
    /// Windows is around us, with its own ways to browser and clipboard.
    package let isWSL: Bool
    /// What is shown here is seen elsewhere.
    private let isRemote: Bool
    /// We run as another user than the one whose desktop it is: sudo(8), su(1).
    private let isOtherUsers: Bool
    /// VS Code's terminal, which sets `BROWSER` to an opener of its own that reaches the editor's window from anywhere.
    private let isEditor: Bool
    /// The Wayland compositor is there.
    package let hasWayland: Bool
    /// An X server is there.
    package let hasX: Bool
    /// We run in tmux(1), which has a clipboard of its own and a way to that of the terminal around it.
    package let isInTmux: Bool

    /// Looks around.
    ///
    /// - Parameters:
    ///   - userID: who we are.
    ///   - runtimeFolderOwner: whose `XDG_RUNTIME_DIR` it is; nil if there is none.
    ///   - hasWindowsInterop: whether the kernel starts Windows' programs.
    ///   - environment: looks up a variable.
    package init(
        userID: UInt32, runtimeFolderOwner: UInt32?, hasWindowsInterop: Bool, environment: (String) -> String?
    ) {
        func isSet(_ name: String) -> Bool { environment(name)?.isEmpty == false }
        let display = environment("DISPLAY") ?? ""
        hasWayland = isSet("WAYLAND_DISPLAY")
        hasX = !display.isEmpty
        hasDisplay = hasWayland || hasX
        isWSL = hasWindowsInterop || isSet("WSL_DISTRO_NAME")
        // X(7): HOST:NUMBER. sshd(8) sets `localhost:10.0`; a local one has no host, or is a socket's path.
        let isForwarded = hasX && !hasWayland && ![":", "/", "unix:"].contains { display.hasPrefix($0) }
        isRemote = isForwarded || ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains(where: isSet)
        let callers = ["SUDO_UID", "PKEXEC_UID"].compactMap { environment($0) }
        isOtherUsers =
            callers.contains { $0 != String(userID) } || runtimeFolderOwner.map { $0 != userID } ?? false
        isInTmux = isSet("TMUX")
        isEditor = environment("TERM_PROGRAM") == "vscode" && isSet("BROWSER")
    }

    /// Whether nothing says that the person sits elsewhere, or that this machine's screen is another's.
    package var isAtThisMachine: Bool { !isRemote && !isOtherUsers }

    /// Whether the person sits right before this machine's own screen.
    package var isOwnDesktop: Bool { (hasDisplay || isWSL) && !isRemote && !isOtherUsers }

    /// Whether a page can be opened at all.
    package func canOpen(_ choice: BrowserChoice) -> Bool {
        guard !isOtherUsers else { return false }
        return switch choice {
        case .none: false
        case .commands: true
        case .system: hasDisplay || isWSL
        }
    }

    /// Whether a page may be opened before the person has asked for it.
    ///
    /// Through a forwarded display a browser on the far machine would come up, slowly, and not the person's own.
    package func opensByItself(_ choice: BrowserChoice) -> Bool {
        guard canOpen(choice) else { return false }
        if case .commands = choice, isEditor { return true }
        return isOwnDesktop
    }
}
