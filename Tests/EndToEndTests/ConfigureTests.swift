import Staging
import Testing

@Suite("configure and unconfigure with a real git")
struct ConfigureTests {
    /// Usual and unusual texts of git's configuration file, with `nil` for no file.
    private static let texts: [String?] = [
        nil, "", "\n", "[user]\n\tname = Mona Lisa\n", "[user]\n\tname = Mona Lisa", "# nothing but a comment",
        "[user]\r\n\tname = Mona Lisa\r\n[credential]\r\n\thelper = store\r\n",
        "[credential]\n\thelper = store\n\thelper = cache --timeout 3600\n[alias]\n\tst = status\n",
        "[credential \"https://github.com\"]\n\tusername = mona ; mine\n\n# and now for something else\n[core]\n",
        "[credential \"https://github.com\"]\n\thelper =\n\thelper = store\n", "[include]\n\tpath = ~/other\n",
        "[credential \"https://github.com\"] helper = store\n", "\u{feff}[user]\n\tname = \"a # b\"   \n",
        "[user]\n\tname = Mona \\\n Lisa\n\t\n   ", "[alias]\n\tx = !f() { echo \\\"a b\\\"; }; f \\\n",
    ]

    /// The beginning of a command that obeys the modes of folders: root may write everywhere with this capability.
    static let humble = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []

    private let session: Session
    private let file: String

    init() async throws {
        session = try await Session(.noBus)
        file = session.home + "/.gitconfig"
    }

    private func gitspace(_ verb: String, _ arguments: String..., environment: [String: String] = [:]) async throws
        -> RunningProgram.End
    {
        let path = session.path(BuiltFiles.helperFolder)
        return try await session.run(
            ["git", "credential-gitspace", verb] + (verb == "configure" ? ["github.com"] : []) + arguments,
            environment: ["PATH": path].merging(environment) { $1 })
    }

    private func read(_ path: String? = nil) -> Data? { FileManager.default.contents(atPath: path ?? file) }

    private func write(_ text: String?, to path: String? = nil) throws {
        try? FileManager.default.removeItem(atPath: path ?? file)
        if let text { try text.write(to: path ?? file) }
    }

    /// Makes a link to the program in a new folder, and returns its path.
    private func linked(in folder: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let program = folder + "/git-credential-gitspace"
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: BuiltFiles.helper)
        return program
    }

    /// Returns the trace of each helper that git runs for github.com.
    private func helpers(in path: String? = nil) async throws -> [String] {
        let arguments = path.map { ["--file", $0] } ?? ["--global"]
        let end = try await session.run(
            ["git", "config"] + arguments + ["--includes", "--get-all", "credential.https://github.com.helper"])
        return end.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
    }

    @Test("adds lines that git reads, and unconfigure restores the file to the last byte")
    func roundTrip() async throws {
        for text in Self.texts {
            try write(text)
            let before = read()
            let end = try await gitspace("configure")
            #expect(end.status == 0 && end.errors.isEmpty, "\(text ?? "no file"): \(end.errors)")
            #expect(try await helpers().suffix(2) == ["", BuiltFiles.helperCommand], "\(text ?? "no file")")
            #expect(try await gitspace("unconfigure").status == 0)
            #expect(read() == before, "\(text ?? "no file")")
        }
    }

    @Test("writes to git's own file: GIT_CONFIG_GLOBAL, or XDG's if that is the only one")
    func files() async throws {
        let other = session.home + "/other"
        #expect(try await gitspace("configure", environment: ["GIT_CONFIG_GLOBAL": other]).status == 0)
        #expect(try await helpers(in: other) == ["", BuiltFiles.helperCommand])
        #expect(try await gitspace("unconfigure", environment: ["GIT_CONFIG_GLOBAL": other]).status == 0)
        #expect(read(other) == nil)
        let folder = (session.environment["XDG_CONFIG_HOME"] ?? session.home + "/.config") + "/git"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try write("", to: folder + "/config")
        #expect(try await gitspace("configure").status == 0)
        #expect(read() == nil)
        #expect(try await helpers() == ["", BuiltFiles.helperCommand])
    }

    @Test("--system changes the machine's file")
    func system() async throws {
        let other = session.home + "/system"
        let environment = ["GIT_CONFIG_SYSTEM": other, "GIT_CONFIG_NOSYSTEM": "0"]
        try write("[credential]\n\thelper = cache\n")
        let end = try await gitspace("configure", "--system", environment: environment)
        #expect(end.status == 0 && end.output.contains("unconfigure --system\n"), "\(end.output)")
        // The person's own file comes after it.
        #expect(end.output.contains("  cache (in \(file))\n"), "\(end.output)")
        #expect(try await helpers(in: other) == ["", BuiltFiles.helperCommand])
        #expect(try await gitspace("unconfigure", "--system", environment: environment).status == 0)
        #expect(read(other) == nil)
    }

    @Test("writes the path of a program that is not on the PATH, as it was called")
    func path() async throws {
        let program = try linked(in: session.home + "/my $(odd) bin")
        try await session.run([program, "configure", "github.com"]).succeeded()
        #expect(try await helpers() == ["", session.home + "/my\\ \\$\\(odd\\)\\ bin/git-credential-gitspace"])
        // Only this program reports the missing keyring in these words, so git has run it.
        let fill = try await session.run(
            ["git", "credential", "fill"], environment: ["GIT_TERMINAL_PROMPT": "0"],
            input: "url=https://github.com\n\n")
        #expect(fill.errors.contains("gitspace: error: "), "\(fill.errors)")
        #expect(try await session.run([program, "configure", "github.com"]).output.hasPrefix("Nothing to do: "))
        #expect(try await session.run([program, "unconfigure"]).status == 0)
        #expect(read() == nil)
    }

    @Test("doctor finds a program that has moved, and names the command that corrects the path")
    func moved() async throws {
        let program = try linked(in: session.home + "/old")
        #expect(try await session.run([program, "configure", "github.com"]).status == 0)
        try FileManager.default.removeItem(atPath: program)
        let sick = try await gitspace("doctor")
        #expect(sick.output.contains("[FAIL] git is configured to run a program that does not exist: \(program)\n"))
        #expect(sick.output.contains("\n       update the path:\n         git credential-gitspace configure\n"))
        #expect(try await gitspace("configure").status == 0)
        #expect(try await helpers() == ["", BuiltFiles.helperCommand])
        let sound = try await gitspace("doctor").output
        #expect(sound.contains("[ OK ] git finds git-credential-gitspace "), "\(sound)")
        #expect(!sound.contains("a program that does not exist"), "\(sound)")
    }

    @Test("leaves one set of lines after many simultaneous runs")
    func parallel() async throws {
        try write("[user]\n\tname = x")
        let before = read()
        for (verb, expected) in [("configure", ["", BuiltFiles.helperCommand]), ("unconfigure", [])] {
            let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<6 { group.addTask { try await gitspace(verb).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 0, count: 6))
            #expect(try await helpers() == expected)
        }
        #expect(read() == before)
        #expect(read(file + ".lock") == nil)
    }

    @Test("keeps a file that git is writing or cannot read, or that is no file, and names a command")
    func faults() async throws {
        try write("[user]\n")
        try write("", to: file + ".lock")
        let locked = try await gitspace("configure")
        #expect(locked.status == 1 && locked.errors.hasSuffix("hint:   rm \(file).lock\n"), "\(locked.errors)")
        #expect(read() == Data("[user]\n".utf8) && read(file + ".lock") != nil)
        try write(nil, to: file + ".lock")

        try write("[user\n")
        // git itself would not even start us.
        let broken = try await session.run([BuiltFiles.helper, "configure", "github.com"])
        #expect(broken.status == 1 && broken.errors.contains("git cannot read its configuration"), "\(broken.errors)")
        #expect(read() == Data("[user\n".utf8))

        let null = try await gitspace("configure", environment: ["GIT_CONFIG_GLOBAL": "/dev/null"])
        // root may create a file beside it, and fails only afterwards.
        let refused = ["cannot write /dev/null", "no permission to write /dev/null"]
        #expect(null.status == 1 && refused.contains { null.errors.contains($0) }, "\(null.errors)")
    }

    @Test("names a folder that is missing or not writable, because git writes a lock file into it")
    func folder() async throws {
        let missing = session.home + "/a"
        for (variable, options) in [("GIT_CONFIG_GLOBAL", []), ("GIT_CONFIG_SYSTEM", ["--system"])] {
            let command = [BuiltFiles.helper, "configure", "github.com"] + options
            let end = try await session.run(
                command, environment: [variable: missing + "/b", "GIT_CONFIG_NOSYSTEM": "0"])
            let hints = "hint: make it, then run the command again:\nhint:   mkdir -p \(missing)\n"
            #expect(end.status == 1)
            #expect(end.errors == "gitspace: error: there is no folder \(missing)\n" + hints)
        }
        try write("[user]\n")
        chmod(session.home, 0o500)
        defer { chmod(session.home, 0o700) }
        let end = try await session.run(Self.humble + [BuiltFiles.helper, "configure", "github.com"])
        #expect(end.status == 1)
        #expect(end.errors.contains("no permission to write to the folder of git's configuration, \(session.home)\n"))
        #expect(read() == Data("[user]\n".utf8))
    }
}
