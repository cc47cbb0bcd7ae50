import Staging
import Testing

@Suite("Keys on the sign-in screen")
struct KeyTests {
    private let fixture: EndToEndFixture
    private let terminal: PseudoTerminal
    /// The terminal's modes before any program.
    private let modes: [UInt32]

    init() async throws {
        fixture = try await EndToEndFixture()
        terminal = try PseudoTerminal()
        modes = terminal.modes
    }

    /// Writes a program into the home folder that notes its arguments.
    private func recorder(_ name: String, then action: String = "") async throws -> String {
        let path = fixture.session.home + "/bin/" + name
        let script = """
            #!/bin/sh
            printf x >>"$HOME/\(name).starts"
            note=$HOME/\(name).note
            { echo "$@"; readlink /proc/$$/fd/*; ps -o tty= -p $$; } >"$note.new"
            \(action)
            mv "$note.new" "$note"
            """
        try await fixture.session.write(program: path, script)
        return path
    }

    /// Returns how often the program was started.
    private func starts(of name: String) throws -> Int {
        try Data(contentsOf: URL(filePath: fixture.session.home + "/\(name).starts")).count
    }

    private func note(_ name: String) async throws -> [String] {
        let path = fixture.session.home + "/\(name).note"
        return try await eventually("a note of \(name)") {
            FileManager.default.contents(atPath: path).map {
                String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
            }
        }
    }

    /// Returns the variables by which `git -c credential.gitspaceBrowser=COMMAND` reaches git's children.
    private static func opening(with command: String) -> [String: String] {
        ["GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.gitspaceBrowser", "GIT_CONFIG_VALUE_0": command]
    }

    /// Starts `git ls-remote` and waits for the keys to be taken.
    private func begin(
        on terminal: PseudoTerminal? = nil, environment: [String: String] = [:]
    ) async throws -> RunningProgram {
        let terminal = terminal ?? self.terminal
        let running = try fixture.startGit(["ls-remote", fixture.address()], environment: environment, on: terminal)
        try await terminal.takesKeys()
        return running
    }

    @Test("q cancels as Ctrl-C does, also after a browser that failed, and restores the terminal")
    func quit() async throws {
        let running = try await begin(environment: Self.opening(with: "/bin/false"))
        terminal.type("\r")
        try await terminal.shows("Could not open a browser here.\n")
        terminal.type("q")
        #expect(try await running.ended().status == 128)
        #expect(terminal.screen.contains("\nSign-in cancelled.\nfatal: credential helper"), "\(terminal.text)")
        #expect(terminal.modes == modes)
    }

    @Test("Enter opens the page in a browser that gets no terminal, none of our files, and only the address")
    func enter() async throws {
        let browser = try await recorder("browser")
        let running = try await begin(environment: Self.opening(with: "\(browser) --new"))
        #expect(terminal.screen.contains("\nEnter opens it here, c copies the code, r shows a QR code.\n"))
        terminal.type("\r")
        let note = try await note("browser")
        #expect(note.first == "--new https://\(fixture.host)/login/device")
        // The shell itself has opened the note and its own script.
        let files = note.dropFirst().filter { $0.hasPrefix("/") && !$0.contains(fixture.session.home) }
        #expect(Set(files) == ["/dev/null"], "\(note)")
        #expect(!note.joined().contains("pipe:") && !note.joined().contains("socket:"), "\(note)")
        #expect(note.last == "?")
        try await terminal.shows("The page is opening in your browser.\n")
        #expect(try starts(of: "browser") == 1)
        try await fixture.answer(on: terminal)
        #expect(try await running.ended().status == 0)
        #expect(terminal.modes == modes)
    }

    @Test("opens the page by itself on a desktop after the text, changes the clipboard only at c, and ends at q")
    func desktop() async throws {
        let browser = try await recorder("browser")
        _ = try await recorder("wl-copy", then: #"cat >>"$note.new""#)
        let path = fixture.session.path()
        let running = try fixture.startGit(
            ["ls-remote", fixture.address()],
            environment: ["BROWSER": browser, "WAYLAND_DISPLAY": "none-0", "PATH": path], on: terminal)
        try await terminal.shows("The page is opening in your browser.\n")
        try await terminal.shows("Press c to copy the code, r for a QR code, q to quit.\n")
        let code = fixture.github.newestUserCode ?? ""
        #expect(try await note("browser").first == "https://\(fixture.host)/login/device")
        #expect(!FileManager.default.fileExists(atPath: fixture.session.home + "/wl-copy.note"))
        terminal.type("c")
        try await terminal.shows("Code copied to the clipboard.\n")
        let copied = try await note("wl-copy")
        #expect(copied.last == code && copied.count { $0.contains(code) } == 1)
        terminal.type("q")
        #expect(try await running.ended().status == 128)
        #expect(terminal.modes == modes)
        #expect(terminal.screen.contains("\nSign-in cancelled.\nfatal: credential helper"), "\(terminal.text)")
    }

    @Test("GIO opens the desktop's default browser if no other is configured")
    func defaultBrowser() async throws {
        let browser = try await recorder("browser")
        let (data, settings) = (fixture.session.home + "/.local/share", fixture.session.home + "/.config")
        try fixture.session.makeDefault("recorder", "Exec=\(browser) %u", data: data, configuration: settings)
        let running = try fixture.startGit(
            ["ls-remote", fixture.address()],
            environment: ["DISPLAY": ":77", "XDG_CONFIG_HOME": settings, "XDG_DATA_HOME": data], on: terminal)
        try await terminal.shows("The page is opening in your browser.\n")
        let note = try await note("browser")
        #expect(note.first == "https://\(fixture.host)/login/device")
        #expect(
            Set(note.filter { $0.hasPrefix("/") && !$0.contains(fixture.session.home) }) == ["/dev/null"], "\(note)")
        #expect(note.last == "?")
        terminal.type("q")
        _ = try await running.ended()
        #expect(try starts(of: "browser") == 1)
    }

    @Test("c copies by the terminal without a desktop, and r draws the address as a QR code")
    func copyAndPicture() async throws {
        let running = try await begin()
        terminal.type("c")
        try await terminal.shows("Code copied, if your terminal allows it.\n")
        let code = Data((fixture.github.newestUserCode ?? "").utf8).base64EncodedString()
        #expect(terminal.text.contains("\u{1b}]52;c;\(code)\u{7}"))
        terminal.type("r")
        try await terminal.type("r", after: " ▄▄▄▄▄▄▄ ")
        try await terminal.type("q", after: "A\u{1b}[J")
        _ = try await running.ended()
        #expect(!FileManager.default.fileExists(atPath: fixture.session.home + "/browser.note"))
    }

    @Test("does not overwrite a line that has become too long for the window, and ends with a short line")
    func resized() async throws {
        let running = try await begin()
        terminal.resize(columns: 40)
        terminal.type("c")
        let copied = #/\n\u{1b}\[KCode copied, if your terminal allows it\.\n\d+ min left\. Ctrl-C cancels\./#
        try await eventually("a line below: \(terminal.text)") { terminal.text.firstMatch(of: copied) }
        terminal.resize(columns: 39)
        try await fixture.answer(on: terminal)
        #expect(try await running.ended().status == 0)
        #expect(terminal.text.contains(" Signed in as monalisa.\n"), "\(terminal.text)")
    }

    @Test("starts no program from a repository's configuration")
    func hostileRepository() async throws {
        let trap = try await recorder("trap")
        let folder = try await fixture.repository("hostile")
        _ = try await fixture.git("config", "credential.gitspaceBrowser", trap, in: folder)
        let running = try fixture.startGit(["ls-remote", fixture.address()], in: folder, on: terminal)
        try await terminal.type("\n", after: "Press c to copy the code, r for a QR code, q to quit.\n")
        terminal.type("q")
        _ = try await running.ended()
        #expect(!FileManager.default.fileExists(atPath: fixture.session.home + "/trap.starts"))
    }

    @Test("c copies by tmux's own command inside tmux, and reports no success if that fails")
    func tmux() async throws {
        _ = try await recorder("tmux", then: #"cat >>"$note.new""#)
        let path = fixture.session.path()
        let running = try await begin(environment: ["TMUX": "/tmp/none,1,0", "PATH": path])
        terminal.type("c")
        try await terminal.shows("Code copied to tmux, and to your clipboard if your terminal allows it.\n")
        let note = try await note("tmux")
        #expect(note.first == "load-buffer -w -" && note.last == fixture.github.newestUserCode, "\(note)")
        #expect(!terminal.text.contains("\u{1b}]52;"))
        terminal.type("q")
        _ = try await running.ended()

        try await fixture.session.write(
            program: fixture.session.home + "/bin/tmux", "#!/bin/sh\ntouch \"$HOME/refused\"\nexit 1\n")
        let other = try PseudoTerminal()
        let second = try await begin(on: other, environment: ["TMUX": "/tmp/none,1,0", "PATH": path])
        other.type("c")
        let refused = fixture.session.home + "/refused"
        try await eventually("tmux") { FileManager.default.fileExists(atPath: refused) }
        other.type("q")
        _ = try await second.ended()
        #expect(!other.text.contains("Copied") && !other.text.contains("lipboard"), "\(other.text)")
    }

    @Test("restores the terminal, whatever ends the sign-in", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(signal: Int32) async throws {
        let helper = try fixture.startHelper("get", on: terminal)
        try await terminal.takesKeys()
        #expect(terminal.modes != modes)
        if signal == SIGINT { terminal.type("\u{3}") } else { helper.signal(signal) }
        #expect(try await helper.ended().output == "quit=1\n")
        #expect(terminal.modes == modes)
    }

    @Test("Ctrl-Z restores the terminal, and the keys work again in the foreground")
    func stopAndContinue() async throws {
        let shell = try fixture.start(
            [
                "bash", "-c", #"set -m; git ls-remote "$0"; echo stopped >&2; read -r line </dev/tty; fg >&2; wait"#,
                fixture.address(),
            ], on: terminal)
        try await terminal.takesKeys()
        terminal.type("\u{1a}")
        try await terminal.shows("stopped\n")
        try await eventually("the modes that git had: \(terminal.modes)") { terminal.modes == modes }
        terminal.type("q\n")
        try await eventually("keys that are taken again") { !terminal.isCooked }
        terminal.type("q")
        _ = try await shell.ended()
        #expect(terminal.screen.contains("Sign-in cancelled."), "\(terminal.text)")
        #expect(terminal.modes == modes)
    }

    @Test(
        "Ctrl-Z at a hidden prompt restores the terminal, and the prompt is hidden and shown again in the foreground",
        arguments: ["bash", "dash"])
    func stoppedSecret(shell: String) async throws {
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        // The second program has echo on, as a shell's line editor sets it.
        let script = """
            set -m; "$0" login "$1" --with-token </dev/tty; stty -a </dev/tty >"$HOME/modes"; stty echo icanon </dev/tty
            echo stopped >&2; read -r line </dev/tty; fg >&2; wait
            """
        let running = try fixture.start([shell, "-c", script, BuiltFiles.helper, fixture.host], on: terminal)
        try await terminal.shows("(not shown)")
        try await eventually("a hidden prompt") { !terminal.isCooked }
        let prompts = terminal.count(of: "(not shown)")
        terminal.type(String(token.prefix(5)))
        terminal.type("\u{1a}")
        try await terminal.shows("stopped\n")
        try await eventually("the shell's own modes") { terminal.isCooked }
        let left = try String(contentsOfFile: fixture.session.home + "/modes", encoding: .utf8)
        #expect(left.contains(" echo "), "\(left)")
        terminal.type("\n")
        try await eventually("the prompt again") { terminal.count(of: "(not shown)") > prompts && !terminal.isCooked }
        terminal.type(token + "\n")
        let end = try await running.ended()
        #expect(end.output.contains("Signed in as monalisa"), "\(end.output)\(terminal.text)")
        #expect(!terminal.text.contains(token.prefix(5)) && terminal.modes == modes, "\(terminal.text)")
    }

    @Test("reads no key in the background, and the sign-in goes on")
    func background() async throws {
        let shell = try fixture.start(
            [
                "bash", "-c", #"set -m; git ls-remote "$0" & read -r line </dev/tty; echo "read $line" >&2; wait"#,
                fixture.address(),
            ], on: terminal)
        try await terminal.shows("Ctrl-C cancels.")
        #expect(terminal.modes == modes && !terminal.text.contains("to quit"))
        terminal.type("q\n")
        try await terminal.shows("read q\n")
        try await fixture.answer(on: terminal)
        #expect(try await shell.ended().status == 0)
        #expect(terminal.screen.contains("✓ Signed in as monalisa."), "\(terminal.text)")
        #expect(terminal.modes == modes)
    }

    @Test("leaves text that was typed before the question to the next reader")
    func typeAhead() async throws {
        terminal.type("q")
        let shell = try fixture.start(
            ["sh", "-c", #"git ls-remote "$0"; read -r line </dev/tty; echo "read $line""#, fixture.address()],
            on: terminal)
        try await terminal.shows("Ctrl-C cancels.")
        #expect(!terminal.text.contains("to quit"))
        try await fixture.answer(on: terminal)
        try await terminal.type("uit\n", after: "Signed in as")
        #expect(try await shell.ended().output.hasSuffix("read quit\n"))
        #expect(terminal.modes == modes)
    }
}
