internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import System
internal import UserInterface

/// The verbs for people: `git credential-gitspace VERB`.
struct Verbs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git-credential-gitspace",
        abstract: "Signs git in to GitHub and GitLab, and keeps the token in the keyring.",
        discussion: "git itself calls the operations get, store, erase and capability.",
        version: "git-credential-gitspace \(Version.text)",
        subcommands: [
            SetupVerb.self, LoginVerb.self, LogoutVerb.self, RefreshVerb.self, StatusVerb.self, SwitchVerb.self,
            UnlockVerb.self, CheckVerb.self, DoctorVerb.self,
            ConfigureVerb.self, UnconfigureVerb.self, ImportVerb.self,
            RegisterVerb.self,
        ])

    /// Whether a first argument is for us rather than for git.
    static func understand(_ word: String) -> Bool {
        ["--help", "-h", "--version", "-v", "version", "help"].contains(word)
            || configuration.subcommands.contains { $0._commandName == word }
    }

    /// Runs a verb.
    ///
    /// - Returns: the exit status: 0 done, 1 failed, 64 usage, 130 cancelled.
    static func run(_ arguments: [String], _ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        // The parser has but one spelling for it.
        let arguments = ["-v", "version"].contains(arguments.first) ? ["--version"] : arguments
        do {
            var command = try parseAsRoot(arguments)
            if let verb = command as? any PersonsVerb {
                let status = verb.run(streams, signals)
                // Whatever failed, it was Ctrl-C that ended it.
                return status == ExitStatus.failed.rawValue && signals.look() ? ExitStatus.cancelled.rawValue : status
            }
            // What is left is the parser's own: it throws the help text.
            try command.run()
            return ExitCode.success.rawValue
        } catch {
            let status = exitCode(for: error)
            let text = fullMessage(for: error) + "\n"
            if status == .success {
                _ = streams.send(text)
            } else {
                StandardStreams.report(text)
            }
            return status.rawValue
        }
    }

    /// Says that there is no such verb, to a person who has typed it; git, which never types, is told nothing.
    static func regret(_ word: String) -> Int32 {
        let verbs = configuration.subcommands.map { $0._commandName }
        let nearest = EditDistance.nearest(to: word, of: verbs).map { DisplayText($0.utf8) }
        ErrorOutput.write(.noSuchVerb(nearest: nearest))
        return ExitCode.validationFailure.rawValue
    }

    /// Says how the program is used, on standard error.
    ///
    /// - Returns: the exit status.
    static func usage() -> Int32 {
        StandardStreams.report(helpMessage() + "\n")
        return ExitCode.validationFailure.rawValue
    }
}
