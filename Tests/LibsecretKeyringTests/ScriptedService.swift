import Foundation
import Testing

/// The Secret Service of scripted-service.py, on the bus of the session as long as the object lives.
final class ScriptedService {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    /// Starts it and waits until it has its name on the bus.
    init(_ mode: String) throws {
        process.executableURL = Support.path("scripted-service.py")
        process.arguments = [mode]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let gdbus = URL(fileURLWithPath: "/usr/bin/gdbus")
        let status = try run(gdbus, ["wait", "--session", "--timeout", "10", "org.freedesktop.secrets"]).status
        try #require(status == 0)
    }

    /// Stops it.
    ///
    /// - Returns: the calls that it was sent, by their methods, in order.
    func stop() throws -> [String] {
        try input.fileHandleForWriting.close()
        let told = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: told, as: UTF8.self).split(separator: "\n").map { line in
            line.split(separator: " ").dropFirst().joined(separator: " ")
        }
    }
}
