import Testing

@testable import CredentialCore
@testable import UserInterface

@Suite("Browser and clipboard")
struct SurroundingsTests {
    private func surroundings(
        _ environment: [String: String], runtimeFolderOwner: UInt32? = 1_000, hasWindowsInterop: Bool = false
    ) -> DesktopSession {
        DesktopSession(
            userID: 1_000, runtimeFolderOwner: runtimeFolderOwner, hasWindowsInterop: hasWindowsInterop
        ) { environment[$0] }
    }

    private func choice(_ environment: [String: String], key: String? = nil) -> BrowserChoice {
        let entries = key.map { [ConfigurationEntry(section: "credential", key: "gitspacebrowser", value: $0)] } ?? []
        return BrowserChoice(Configuration(entries, for: HostName(name: "github.com"))) { environment[$0] }
    }

    private func commands(_ environment: [String: String], key: String? = nil) -> [[String]] {
        Browser.commands(
            for: "https://h/p", choice(environment, key: key),
            in: surroundings(environment.merging(["DISPLAY": ":0"]) { $1 }))
    }

    @Test(
        "opens a browser by itself only at the person's own desktop, and at Enter wherever possible",
        arguments: [
            ([:], false, false), (["DISPLAY": ":0"], true, true), (["WAYLAND_DISPLAY": "wayland-0"], true, true),
            (["DISPLAY": "localhost:10.0"], true, false),
            (["DISPLAY": "localhost:10.0", "SSH_CONNECTION": "x"], true, false),
            (["DISPLAY": ":0", "SSH_TTY": "/dev/pts/1"], true, false),
            (["DISPLAY": ":0", "SUDO_UID": "1001"], false, false),
            (["DISPLAY": ":0", "PKEXEC_UID": "1001"], false, false),
            (["DISPLAY": ":0", "SUDO_UID": "1000"], true, true), (["WSL_DISTRO_NAME": "Debian"], true, true),
            (["WSL_DISTRO_NAME": "Debian", "DISPLAY": "172.28.0.1:0.0"], true, true),
            (["BROWSER": "firefox"], true, false), (["BROWSER": "firefox", "DISPLAY": ":0"], true, true),
            (["BROWSER": "none", "DISPLAY": ":0"], false, false),
            (["BROWSER": "/vscode/open.sh", "TERM_PROGRAM": "vscode", "SSH_CONNECTION": "x"], true, true),
            (["TERM_PROGRAM": "vscode", "SSH_CONNECTION": "x"], false, false),
        ] as [([String: String], Bool, Bool)])
    func opening(environment: [String: String], canOpen: Bool, byItself: Bool) {
        let here = surroundings(environment)
        let choice = choice(environment)
        #expect(here.canOpen(choice) == canOpen && here.opensByItself(choice) == byItself)
    }

    @Test("opens nothing in another person's session")
    func otherUser() {
        let here = surroundings(["DISPLAY": ":0", "BROWSER": "firefox"], runtimeFolderOwner: 1_001)
        #expect(!here.canOpen(.system) && Clipboard.isOutOfReach(in: here))
        #expect(surroundings(["DISPLAY": ":0"], runtimeFolderOwner: nil).opensByItself(.system))
    }

    @Test("prefers the setting over the common variable, needs no shell, and skips programs for the terminal")
    func choices() {
        #expect(commands([:]) == [["/proc/self/exe", "open-page", "https://h/p"]])
        #expect(commands(["BROWSER": "a:b -x %s -y"]) == [["a", "https://h/p"], ["b", "-x", "https://h/p", "-y"]])
        #expect(commands(["BROWSER": "a"], key: "b --new") == [["b", "--new", "https://h/p"]])
        #expect(commands(["BROWSER": "a"], key: "none").isEmpty)
        #expect(commands([:], key: "c --url=%s %s") == [["c", "--url=https://h/p", "https://h/p"]])
        #expect(commands(["BROWSER": "a;rm $(x)"]) == [["a;rm", "$(x)", "https://h/p"]])
        #expect(commands(["BROWSER": "lynx:firefox:w3m"]) == [["firefox", "https://h/p"]])
    }

    @Test(
        "opens nothing if the setting says no, or names a program that would use the terminal",
        arguments: ["none", "false", ":", "::", " ", "lynx", "/usr/bin/w3m", "links2 -g:elinks"])
    func refusals(text: String) { #expect(choice(["BROWSER": text]) == .none) }

    @Test("quotes the address for Windows' shell")
    func windows() {
        let here = surroundings(["WSL_DISTRO_NAME": "Debian"])
        let commands = Browser.commands(for: "https://h/a'b;c", .system, in: here)
        #expect(commands.first == ["wslview", "https://h/a'b;c"])
        #expect(commands.last?.last == "Start-Process 'https://h/a%27b;c'")
    }

    @Test("ignores a program that a repository configures", arguments: ["local", "worktree"])
    func repository(scope: String) throws {
        let list = "\(scope)\0credential.gitspacebrowser\nevil\0\(scope)\0credential.https://h.gitspacebrowser\nevil\0"
        let entries = try ConfigurationEntry.parse(Array(list.utf8))
        #expect(BrowserChoice(Configuration(entries, for: HostName(name: "h"))) { _ in nil } == .system)
    }

    @Test("chooses a clipboard program that is there, and none over a remote connection")
    func clipboard() {
        #expect(Clipboard.commands(in: surroundings(["WAYLAND_DISPLAY": "w"])) == [["wl-copy"]])
        #expect(Clipboard.commands(in: surroundings(["DISPLAY": ":0"])).map(\.first) == ["xclip", "xsel"])
        #expect(Clipboard.commands(in: surroundings(["WAYLAND_DISPLAY": "w", "DISPLAY": ":0"])).count == 3)
        #expect(Clipboard.isOutOfReach(in: surroundings(["DISPLAY": ":0", "SSH_CONNECTION": "x"])))
        #expect(Clipboard.commands(in: surroundings([:], hasWindowsInterop: true)) == [["clip.exe"]])
    }
}
