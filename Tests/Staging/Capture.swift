import Foundation

/// Keeps the output of programs for documentation, in the folder that `GITSPACE_TEST_CAPTURES` names.
package enum Capture {
    /// Writes the command, its standard output and its standard error to a file with this name.
    package static func keep(_ name: String, _ command: String, _ end: RunningProgram.End) {
        guard let folder = ProcessInfo.processInfo.environment["GITSPACE_TEST_CAPTURES"] else { return }
        let text = "$ \(command)\n\(end.output)\(end.errors)(exit status \(end.status))\n"
        try? Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name).txt"))
    }
}
