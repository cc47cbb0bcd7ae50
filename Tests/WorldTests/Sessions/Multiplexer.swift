import Staging

/// A program that runs commands in windows of its own: tmux, screen.
enum Multiplexer: String {
    case tmux
    case screen

    /// Whether this machine may lack the program, and does: every test machine has tmux (packaging/dependencies.sh test).
    var isMissing: Bool { self == .screen && !FileManager.default.isExecutableFile(atPath: "/usr/bin/" + rawValue) }

    /// Runs a command in the only window of a server, which ends with the command.
    func run(_ command: String, in session: Session) async throws -> (status: Int32, output: String) {
        let folder = session.home + "/" + rawValue
        let environment = ["TMUX_TMPDIR": folder, "SCREENDIR": folder + "/sockets"]
        try await session.write(
            program: folder + "/window", "#!/bin/sh\n\(command) >\(folder)/output\necho $? >\(folder)/status")
        _ = try await session.run(["mkdir", "-p", "-m", "700", folder + "/sockets"])
        let start =
            self == .tmux
            ? ["tmux", "-f", "/dev/null", "-L", "world", "new-session", "-d", folder + "/window"]
            : ["screen", "-c", "/dev/null", "-D", "-m", folder + "/window"]
        let end = try await session.run(start, environment: environment)
        if self == .tmux {
            let isThere = ["tmux", "-L", "world", "has-session"]
            try await eventually("the end of the window") {
                try RunningProgram.run(isThere, environment: session.environment.merging(environment) { $1 })
                    .status != 0
            }
        }
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        let output = try String(contentsOfFile: folder + "/output", encoding: .utf8)
        return (Int32(status.dropLast()) ?? -1, output + end.errors)
    }

    /// The version that the program prints.
    func version() throws -> String {
        let text = try RunningProgram.run([rawValue, self == .tmux ? "-V" : "--version"]).output
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        return words.first { $0.first?.isNumber == true } ?? ""
    }
}
