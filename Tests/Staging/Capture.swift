import Foundation

/// Keeps what programs print, for those who write about them: `GITSPACE_TEST_CAPTURES` names a folder.
package enum Capture {
    /// Keeps a run under a name: the command, standard output, then standard error.
    package static func keep(_ name: String, _ command: String, _ end: RunningProgram.End) {
        guard let folder = ProcessInfo.processInfo.environment["GITSPACE_TEST_CAPTURES"] else { return }
        let text = "$ \(command)\n\(end.output)\(end.errors)(exit status \(end.status))\n"
        try? Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name).txt"))
    }
}
