import Staging
import Testing

/// A real browser without a window, driven by Tests/Support/browser.py.
enum RealBrowser: String, CaseIterable {
    case chromium
    case firefox

    /// The text of the last page, and the requests that the browser made.
    struct Page: Decodable {
        let title: String
        let text: String
        let resources: Int
        let requests: [String]
    }

    var program: String { self == .chromium ? "Chromium" : "Firefox" }

    private var command: String { self == .chromium ? "chromium" : "firefox-esr" }

    /// The browser's version; without the browser, returns `nil` and reports a skip.
    func version(tried: String) -> String? {
        let found = try? RunningProgram.run([command, "--version"])
        guard let found, found.status == 0 else {
            WorldRow.notRun(.browsers, program, tried: tried, because: "it is not installed")
            return nil
        }
        let word = found.output.split { $0 == " " || $0 == "\n" }.first { $0.first?.isNumber == true }
        return word.map { $0.prefix { $0.isNumber || $0 == "." } }.map(String.init)
    }

    /// Starts git on a desktop's terminal, and presses Enter so that the browser opens.
    ///
    /// - Parameters:
    ///   - fixture: A fixture with `gitspaceBrowser = browser`.
    ///   - arguments: The arguments of git.
    ///   - user: The account that signs in at glewlwyd; `nil` for the stand-in's page.
    ///   - environment: Further variables.
    /// - Returns: The running git, and its terminal, which shows the address.
    /// - Throws: `NeverHappened` if no address is shown.
    func start(
        _ fixture: EndToEndFixture, _ arguments: [String], as user: String? = nil, environment: [String: String] = [:]
    ) async throws -> (git: RunningProgram, terminal: PseudoTerminal) {
        let home = fixture.session.home
        try await fixture.session.write(
            program: home + "/bin/browser",
            """
            #!/bin/sh
            exec '\(BuiltFiles.script("browser.py"))' \(rawValue) '\(home)' "$1" \(user ?? "") >'\(home)/browser.log' 2>&1
            """)
        let terminal = try PseudoTerminal(columns: 1_000)
        let desktop = ["DISPLAY": ":77", "PATH": fixture.session.path()]
        let git = try fixture.startGit(arguments, environment: desktop.merging(environment) { $1 }, on: terminal)
        try await eventually("keys that are taken: \(terminal.text)") {
            terminal.text.contains("127.0.0.1") && !terminal.isCooked
        }
        return (git, terminal)
    }

    func page(on fixture: EndToEndFixture) async throws -> Page {
        let home = fixture.session.home
        let data = try await eventually("a page in \(program)") {
            FileManager.default.contents(atPath: home + "/page.json")
        }
        if let folder = ProcessInfo.processInfo.environment["GITSPACE_TEST_SCREENSHOTS"] {
            for scheme in ["light", "dark"] {
                let name = "\(rawValue)-\(UUID().uuidString.prefix(4))-\(scheme).png"
                try FileManager.default.copyItem(atPath: "\(home)/\(scheme).png", toPath: "\(folder)/\(name)")
            }
        }
        return try JSONDecoder().decode(Page.self, from: data)
    }
}
