import Foundation
import Testing

/// The front door as it was built, in folders laid out as `make install` does, with a full program that only tells what
/// it has been given: its arguments on standard error, its input on standard output.
private final class Installation {
    let folder: URL
    private static let name = "git-credential-gitspace"

    /// The executable that was built together with these tests.
    private static var built: URL {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: tests).deletingLastPathComponent().appending(path: name)
        }
    }

    /// Installs to a new folder; the full program goes to `sibling` within it, or nowhere.
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

    /// Writes a program in a process of its own.
    ///
    /// A program that is open for writing cannot be run, and a file that this process writes is open in every child that
    /// another test starts at that moment.
    private func install(_ command: String, _ source: String, _ place: String) throws {
        let shell = try Process.run(URL(filePath: "/bin/sh"), arguments: ["-ec", command, source, place])
        shell.waitUntilExit()
        try #require(shell.terminationStatus == 0)
    }

    deinit { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }

    /// Runs the front door where no bus is, by the path `link` if one is given.
    func run(
        _ arguments: [String], input: Data, environment: [String: String] = [:], through link: URL? = nil
    ) throws -> (output: Data, errors: String, status: Int32) {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        // A file, since the front door may leave a pipe before all is written.
        let request = folder.appending(path: "request")
        try input.write(to: request)
        process.executableURL = link ?? folder.appending(path: "bin/\(Self.name)")
        process.arguments = arguments
        // Named, lest the bus of the person who runs the tests be found.
        process.environment = ["PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": folder.path].merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: request)
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let told = try output.fileHandleForReading.readToEnd() ?? Data()
        let failure = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (told, String(decoding: failure, as: UTF8.self), process.terminationStatus)
    }
}

@Suite("The hand-over to the full program")
struct HandOverTests {
    private let request = Data("protocol=https\nhost=github.com\n\n".utf8)

    @Test("the full program is found in libexec and beside us", arguments: ["libexec", "bin"])
    func layout(sibling: String) throws {
        let end = try Installation(sibling: sibling).run(["get"], input: request)
        #expect(end.output == request)
        #expect(end.errors == "get\n")
        #expect(end.status == 0)
    }

    @Test("a prefix with spaces, and one with every quoting character", arguments: ["a prefix", "pre'fix \"$HOME\" ü"])
    func oddPrefix(name: String) throws {
        #expect(try Installation(folder: name).run(["get"], input: request).output == request)
    }

    @Test("a link to us, and a link to the link, lead to the full program beside what they point at")
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

    @Test("a missing full program is said, with what helps, and nothing is answered")
    func missing() throws {
        // A bus that only a library can reach: there may be a keyring, and half of us is missing.
        let bus = ["DBUS_SESSION_BUS_ADDRESS": "tcp:host=localhost,port=1"]
        let end = try Installation(sibling: nil).run(["get"], input: request, environment: bus)
        #expect(end.status == 1)
        #expect(end.output.isEmpty)
        #expect(end.errors.hasPrefix("gitspace: error: the program git-credential-gitspace-full is missing\nhint: "))
    }

    @Test("a request of a mebibyte arrives byte for byte")
    func large() throws {
        let line = "wwwauth[]=" + String(repeating: "x", count: 65_000) + "\n"
        let lines = "protocol=https\nhost=github.com\n" + String(repeating: line, count: 16)
        let start = lines + "username="
        let request = Data((start + String(repeating: "y", count: (1 << 20) - start.utf8.count - 1) + "\n").utf8)
        #expect(request.count == 1 << 20)
        #expect(try Installation().run(["get"], input: request).output == request)
    }

    @Test("what is no text arrives as it is")
    func bytes() throws {
        let request = Data("protocol=https\nhost=".utf8) + Data((1...255).filter { $0 != 0x0a }) + Data([0x0a])
        #expect(try Installation().run(["store"], input: request).output == request)
    }

    @Test(
        "what is no `get` or `store` goes to the full program with all its arguments",
        arguments: [[], ["erase"], ["login", "--force", "a b"], ["get", "more"], ["--version"]] as [[String]])
    func arguments(arguments: [String]) throws {
        let end = try Installation().run(arguments, input: request)
        #expect(end.errors == (arguments.isEmpty ? "\n" : arguments.map { $0 + "\n" }.joined()))
        #expect(end.output == request)
    }

    @Test("the switch in the environment closes the door")
    func switchedOff() throws {
        let mark = "protocol=https\nhost=unknown.example\n"
        let end = try Installation().run(
            ["get"], input: Data(mark.utf8), environment: ["GITSPACE_FRONT_DOOR": "off"])
        #expect(end.errors == "get\n")
        #expect(end.output == Data(mark.utf8))
    }
}
