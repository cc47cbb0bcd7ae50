import Foundation

/// A root with nothing in it but the program and /proc, into which a folder or two are mounted, as into a container.
package final class EmptyRoot: Sendable {
    /// Who one is in there.
    package enum User: String, Sendable {
        /// Root, as in a rootless container.
        case root
        /// The one who runs the tests, as with --userns=keep-id.
        case same
    }

    private static let script = BuiltFiles.script("in-empty-root.sh")

    /// Whether this machine lets the tests make one.
    package static let isAvailable =
        (try? RunningProgram.run([script, "root", BuiltFiles.helper, "--", "--", "nothing"]).status) != 77

    /// A folder outside, short enough for a socket's path, which goes with the object.
    package let folder: String

    package init() throws {
        folder = "/tmp/root-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Makes a folder outside, and returns its path.
    package func folder(_ name: String, permissions: Int = 0o700) throws -> String {
        let path = folder + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        return path
    }

    /// The script and the program, as files outside that everybody may run: those of the tests may lie below somebody's
    /// home.
    private func copies() throws -> (script: String, program: String) {
        (try copy(Self.script), try copy(BuiltFiles.helper))
    }

    private func copy(_ file: String) throws -> String {
        let copy = folder + "/" + URL(filePath: file).lastPathComponent
        guard !FileManager.default.fileExists(atPath: copy) else { return copy }
        // By another process, as in `Session.write(program:_:)`.
        let end = try RunningProgram.run(["install", "-m", "755", file, copy])
        guard end.status == 0 else { throw NeverHappened(description: "\(copy): \(end.errors)") }
        return copy
    }

    /// Runs the program in there, to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - user: Who one is.
    ///   - mounts: The folders, as `SOURCE:PLACE` or `SOURCE:PLACE:rw`.
    ///   - environment: All of its environment.
    ///   - input: All of its standard input.
    ///   - prefix: A command that starts it all.
    /// - Returns: What it left behind.
    /// - Throws: `NeverHappened` if it could not be started.
    package func run(
        _ arguments: [String], as user: User = .root, mounts: [String] = [], environment: [String: String] = [:],
        input: String = "", prefix: [String] = []
    ) async throws -> RunningProgram.End {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let file = try Lifeline()
        file.write(line: input)
        file.endInput()
        var command = prefix
        let (script, program) = prefix.isEmpty ? (Self.script, BuiltFiles.helper) : try copies()
        command += [script, user.rawValue, program] + mounts
        command += ["--"] + variables
        command += ["--"] + arguments
        let running = try RunningProgram(
            command, environment: ProcessInfo.processInfo.environment, input: file.programEnd)
        let end = try await running.ended()
        withExtendedLifetime(file) {}
        return end
    }
}
