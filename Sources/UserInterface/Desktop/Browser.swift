package import CredentialCore
internal import Glibc
internal import System

package enum Browser {
    /// The argument by which a child process asks the desktop to open a page (`DefaultBrowser`).
    package static let operation = "open-page"

    /// Opens a page and returns at once; `nil` if no browser could be started.
    static func open(_ page: HTTPSAddress, with choice: BrowserChoice, in session: DesktopSession) -> ChildProcess? {
        // `lazy.compactMap(…).first` would start the program twice: once to test it, once to return it.
        for command in commands(for: page.text, choice, in: session) {
            if let process = ChildProcess(command, io: .detached()) { return process }
        }
        return nil
    }

    static func commands(for address: String, _ choice: BrowserChoice, in session: DesktopSession) -> [[String]] {
        guard session.canOpen(choice) else { return [] }
        switch choice {
        case .none: return []
        case .commands(let commands):
            return commands.map { words in
                let arguments = words.dropFirst()
                let end = arguments.contains { $0.contains("%s") } ? [] : [address]
                return words.prefix(1) + arguments.map { $0.replacing("%s", with: address) } + end
            }
        case .system:
            guard session.isWSL else { return [["/proc/self/exe", operation, address]] }
            // PowerShell reads its arguments as a script: the address is a literal there, and contains no quote.
            let literal =
                "'" + address.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "%27") + "'"
            return [["wslview", address], ["powershell.exe", "-NoProfile", "-Command", "Start-Process \(literal)"]]
        }
    }
}

package enum BrowserChoice: Equatable {
    /// The desktop's default for https addresses.
    case system
    case none
    /// The first command that can be started is used; in its words, `%s` stands for the address.
    case commands([[String]])

    /// Browsers that would use the same terminal as git.
    private static let textBrowsers = ["lynx", "w3m", "links", "links2", "elinks", "browsh", "www-browser"]

    /// Reads `credential.gitspaceBrowser`, or else `BROWSER`.
    ///
    /// A repository's own configuration is not read (`ConfigurationEntry.parse`), since it must not choose a program.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        let list: [Substring]
        if let command = configuration[.gitspaceBrowser], !command.isEmpty {
            list = [Substring(command)]
        } else if let variable = environment("BROWSER"), !variable.isEmpty {
            list = variable.split(separator: ":")
        } else {
            self = .system
            return
        }
        let commands = list.compactMap(Self.words)
        self = commands.isEmpty ? .none : .commands(commands)
    }

    /// Splits a command at its spaces, without the quotes of a shell.
    ///
    /// Returns `nil` without a command: for nothing, `none`, `false`, or a browser that needs the terminal.
    private static func words(of command: Substring) -> [String]? {
        let words = command.split(whereSeparator: { $0 == " " || $0 == "\t" }).map { String($0) }
        guard let program = words.first, !["none", "false"].contains(program),
            let name = program.split(separator: "/").last, !textBrowsers.contains(String(name))
        else { return nil }
        return words
    }
}

/// The place of the person: at their own desktop, at a remote machine, or in another user's session.
///
/// The variables may be out of date in tmux(1) and screen(1); programs that are started because of them fail silently.
package struct DesktopSession {
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
    package init(userID: UInt32, runtimeFolderOwner: UInt32?, hasWindowsInterop: Bool, environment: (String) -> String?)
    {
        func isSet(_ name: String) -> Bool { environment(name)?.isEmpty == false }
        let display = environment("DISPLAY") ?? ""
        hasWayland = isSet("WAYLAND_DISPLAY")
        hasX = !display.isEmpty
        isWSL = hasWindowsInterop || isSet("WSL_DISTRO_NAME")
        // X(7): HOST:NUMBER. sshd(8) sets `localhost:10.0`; a local display has no host, or is the path of a socket.
        // An X server on Windows has its address.
        let isForwarded = hasX && !hasWayland && !isWSL && ![":", "/", "unix:"].contains { display.hasPrefix($0) }
        isRemote = isForwarded || ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains(where: isSet)
        let callers = ["SUDO_UID", "PKEXEC_UID"].compactMap { environment($0) }
        isOtherUsers = callers.contains { $0 != String(userID) } || runtimeFolderOwner.map { $0 != userID } ?? false
        isInTmux = isSet("TMUX")
        isEditor = environment("TERM_PROGRAM") == "vscode" && isSet("BROWSER")
    }

    /// Whether no variable shows that the person is elsewhere, or that another user owns this machine's screen.
    package var isAtThisMachine: Bool { !isRemote && !isOtherUsers }
    package var isOwnDesktop: Bool { hasScreen && isAtThisMachine }

    /// Whether there is a display, our own or a forwarded one, or that of Windows.
    private var hasScreen: Bool { hasWayland || hasX || isWSL }

    package func canOpen(_ choice: BrowserChoice) -> Bool {
        guard !isOtherUsers else { return false }
        return switch choice {
        case .none: false
        case .commands: true
        case .system: hasScreen
        }
    }

    /// Whether the page opens by itself; a forwarded display would show a slow browser of the remote machine.
    package func opensByItself(_ choice: BrowserChoice) -> Bool {
        if case .commands = choice, isEditor { return canOpen(choice) }
        return isOwnDesktop && canOpen(choice)
    }

    package static var here: DesktopSession {
        DesktopSession(
            userID: getuid(), runtimeFolderOwner: Environment["XDG_RUNTIME_DIR"].flatMap { FileStatus($0)?.owner },
            hasWindowsInterop: access("/proc/sys/fs/binfmt_misc/WSLInterop", F_OK) == 0,
            environment: { Environment[$0] })
    }
}

/// Programs that copy a text from standard input, so that it appears in no argument.
package struct Clipboard {
    /// Milliseconds for a program before the next one is tried: without a working display, some wait forever.
    private static let patience: Int64 = 3_000
    /// Milliseconds for the last program, which may be slow on a busy machine.
    private static let lastPatience: Int64 = 60_000

    private var candidates: [[String]]
    private let text: String
    private var running: (process: ChildProcess, since: Int64)?
    /// Whether tmux(1) copied the text; tmux does not report whether the terminal accepted it.
    private(set) var isByTmux = false

    /// Starts a program and returns at once; `now` is in milliseconds of uptime.
    package init(copying text: String, in session: DesktopSession, now: Int64) {
        self.text = text
        candidates = Self.commands(in: session)
        startNext(now)
    }

    /// The programs, the best first, or none if the person's clipboard is out of reach.
    static func commands(in session: DesktopSession) -> [[String]] {
        // -w passes the text on to the terminal (since tmux 3.2; earlier versions fail).
        let multiplexer = session.isInTmux ? [[tmux, "load-buffer", "-w", "-"]] : []
        guard session.isOwnDesktop else { return multiplexer }
        if session.isWSL { return [["clip.exe"]] + multiplexer }
        let wayland = session.hasWayland ? [["wl-copy"]] : []
        let x = [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
        return wayland + (session.hasX ? x : []) + multiplexer
    }

    private static let tmux = "tmux"

    package static func isOutOfReach(in session: DesktopSession) -> Bool { commands(in: session).isEmpty }

    /// Whether the text was copied, or `nil` while that is unknown; `now` is in milliseconds of uptime.
    package mutating func look(now: Int64) -> Bool? {
        guard let (process, since) = running else { return false }
        switch process.state {
        case .succeeded: return true
        case .running where now < since + (candidates.isEmpty ? Self.lastPatience : Self.patience): return nil
        case .running: process.stop()
        case .failed: break
        }
        startNext(now)
        return running == nil ? false : nil
    }

    private mutating func startNext(_ now: Int64) {
        running = nil
        while running == nil, !candidates.isEmpty {
            let command = candidates.removeFirst()
            isByTmux = command.first == Self.tmux
            running = ChildProcess(command, io: .detached(input: text)).map { ($0, now) }
        }
    }
}
