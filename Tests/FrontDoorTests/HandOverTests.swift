import Staging
import Testing

/// The built front door in folders laid out as `make install` does.
///
/// A script takes the place of the full program: it prints its arguments to standard error, and its input to standard
/// output.
private final class Installation {
    let folder: URL
    private static let name = "git-credential-gitspace"

    /// The executable built together with these tests.
    private static var built: URL {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: tests).deletingLastPathComponent().appending(path: name)
        }
    }

    /// Installs into a new folder, with the full program in the folder `sibling`, or without it.
    init(folder name: String = "prefix", sibling: String? = "libexec") throws {
        let files = FileManager.default
        folder = files.temporaryDirectory.appending(path: "hand-over-\(UUID().uuidString)").appending(path: name)
        try files.createDirectory(at: folder.appending(path: "bin"), withIntermediateDirectories: true)
        try install("cp \"$0\" \"$1\"", try Self.built.path, folder.appending(path: "bin/\(Self.name)").path)
        guard let sibling else { return }
        try files.createDirectory(at: folder.appending(path: sibling), withIntermediateDirectories: true)
        try install(
            "printf '%s' \"$0\" >\"$1\"; chmod 755 \"$1\"", "#!/bin/sh\nprintf '%s\\n' \"$@\" >&2\nexec cat\n",
            folder.appending(path: "\(sibling)/\(Self.name)-full").path)
    }

    /// Writes a program by another process.
    ///
    /// An executable that is open for writing cannot be run (ETXTBSY), and a child that another test starts at that
    /// moment would inherit our open file.
    private func install(_ command: String, _ source: String, _ place: String) throws {
        try #require(try RunningProgram.run(["/bin/sh", "-ec", command, source, place]).status == 0)
    }

    deinit { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }

    /// Runs the front door without a bus, optionally through a link.
    func run(
        _ arguments: [String], input: Data, environment: [String: String] = [:], through link: URL? = nil
    ) throws -> (output: Data, errors: String, status: Int32) {
        let (input, output) = (try UnnamedFile(contents: Array(input)), try UnnamedFile())
        let program = try RunningProgram(
            [(link ?? folder.appending(path: "bin/\(Self.name)")).path] + arguments,
            // Set explicitly, so that the front door does not find the bus of the person who runs the tests.
            environment: ["PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": folder.path].merging(environment) { $1 },
            input: input.descriptor, standardOutput: output.descriptor)
        program.waitUntilEnded()
        let end = try program.result()
        return (Data(output.contents()), end.errors, end.status)
    }
}

@Suite("The hand-over to the full program")
struct HandOverTests {
    private let request = Data("protocol=https\nhost=github.com\n\n".utf8)

    @Test(
        "finds the full program in libexec and beside itself, even in a prefix with spaces and quoting characters",
        arguments: ["prefix", "pre'fix \"$HOME\" ü"], ["libexec", "bin"])
    func layout(prefix: String, sibling: String) throws {
        let end = try Installation(folder: prefix, sibling: sibling).run(["get"], input: request)
        #expect(end.output == request && end.errors == "get\n" && end.status == 0)
    }

    @Test("finds the full program next to the target of a link, and of a link to a link")
    func links() throws {
        let installation = try Installation()
        let first = installation.folder.appending(path: "first"), second = installation.folder.appending(path: "second")
        let program = installation.folder.appending(path: "bin/git-credential-gitspace")
        try FileManager.default.createSymbolicLink(at: first, withDestinationURL: program)
        try FileManager.default.createSymbolicLink(atPath: second.path, withDestinationPath: "first")
        for link in [first, second] {
            #expect(try installation.run(["get"], input: request, through: link).output == request)
        }
    }

    @Test("names a missing full program with a hint, and gives no answer")
    func missing() throws {
        // The front door cannot reach such an address, so it needs the full program, which is missing.
        let bus = ["DBUS_SESSION_BUS_ADDRESS": "tcp:host=localhost,port=1"]
        let end = try Installation(sibling: nil).run(["get"], input: request, environment: bus)
        #expect(end.status == 1 && end.output.isEmpty)
        #expect(end.errors.hasPrefix("gitspace: error: the program git-credential-gitspace-full is missing\nhint: "))
    }

    @Test("passes on a request of a mebibyte, and bytes that are not text, unchanged")
    func large() throws {
        let line = "wwwauth[]=" + String(repeating: "x", count: 65_000) + "\n"
        let lines = "protocol=https\nhost=github.com\n" + String(repeating: line, count: 16)
        let start = lines + "username="
        let request = Data((start + String(repeating: "y", count: (1 << 20) - start.utf8.count - 1) + "\n").utf8)
        #expect(request.count == 1 << 20)
        #expect(try Installation().run(["get"], input: request).output == request)
        let bytes = Data("protocol=https\nhost=".utf8) + Data((1...255).filter { $0 != 0x0a }) + Data([0x0a])
        #expect(try Installation().run(["store"], input: bytes).output == bytes)
    }

    @Test(
        "passes on all arguments if the operation is neither `get` nor `store`",
        arguments: [[], ["erase"], ["login", "--force", "a b"], ["get", "more"], ["--version"]] as [[String]])
    func arguments(arguments: [String]) throws {
        let end = try Installation().run(arguments, input: request)
        #expect(end.errors == (arguments.isEmpty ? "\n" : arguments.map { $0 + "\n" }.joined()))
        #expect(end.output == request)
    }

    @Test("hands over every request if the environment switches it off")
    func switchedOff() throws {
        let mark = "protocol=https\nhost=unknown.example\n"
        let end = try Installation().run(["get"], input: Data(mark.utf8), environment: ["GITSPACE_FRONT_DOOR": "off"])
        #expect(end.errors == "get\n" && end.output == Data(mark.utf8))
    }
}
