package import ArgumentParser
internal import CredentialCore
package import Helper
package import Share
package import Verbs

/// A verb as a person types it, on test doubles, with its exit status and output.
package final class VerbFixture {
    package let doubles: Doubles
    package let questions = ScriptedQuestions()
    package let files = InMemoryConfigurationFiles()
    package let foreignKeyring = InMemoryForeignKeyring()
    package let foreignFiles = InMemoryForeignFiles()
    package let machine: ScriptedInspections
    package var unlockableKeyring: (any KeyringUnlocking)?
    package var sharing: ((VerbDependencies) -> ShareDependencies)?
    package var remote: String?
    package var isInterrupted = false
    /// The lines on standard output so far, for people and for programs.
    package private(set) var said: [String] = []
    package private(set) var printed = ""
    /// The lines on standard output above the first code.
    package private(set) var saidBeforeCode: [String] = []
    /// The action before a verb creates its dependencies again, as after a change of git's configuration.
    package var willMakeDependencies: () -> Void = {}

    package init(_ doubles: Doubles) {
        self.doubles = doubles
        machine = ScriptedInspections(doubles)
    }

    /// Configures git to use gitspace for every host.
    package func setUpGit() { files.texts[.global] = "[credential]\n\thelper = gitspace\n" }
    package func run(_ words: String...) throws -> (status: Verbs.ExitStatus, text: [String]) { try run(words) }

    package func run(_ words: [String]) throws -> (status: Verbs.ExitStatus, text: [String]) {
        let before = said.count
        let words = joiningVerb(words)
        let type = verbs.first { $0._commandName == words.first }
        guard let type, let verb = try type.parseAsRoot(Array(words.dropFirst())) as? any Verb else {
            throw ValidationError("no such verb")
        }
        do throws(UserFacingError) { return (try verb.run(with: outside), Array(said[before...])) } catch {
            Dependencies.forTests(doubles).report(error)
            return (.failed, Array(said[before...]))
        }
    }

    package var outside: VerbDependencies {
        VerbDependencies(
            dependencies: { [unowned self] _ in
                willMakeDependencies()
                var dependencies = Dependencies.forTests(doubles)
                dependencies.answersGit = false
                return dependencies
            }, questions: questions, files: files, foreignKeyring: foreignKeyring, foreignFiles: foreignFiles,
            inspections: { [machine] _ in machine.inspections },
            unlockableKeyring: { [unowned self] in
                guard let unlockableKeyring else { fatalError("a test of unlock brings its keyring") }
                return unlockableKeyring
            },
            sharing: { [unowned self] outside in
                guard let sharing else { fatalError("a test of share brings what it needs") }
                return sharing(outside)
            }, remote: { [unowned self] in remote }, branch: { "main" },
            isInterrupted: { [unowned self] in isInterrupted },
            say: { [unowned self] in
                said.append($0.english)
                if doubles.ui.prompts.isEmpty { saidBeforeCode = said }
            }, print: { [unowned self] in printed += $0 })
    }
}

extension [String] {
    /// Returns the indented lines below a heading, without their indentation.
    package func below(_ heading: String) -> [String] {
        guard let start = lastIndex(of: heading) else { return [] }
        return self[(start + 1)...].prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    }
}

/// Returns the parser's help for a verb, with lines of any length.
package func help(of verb: any ParsableCommand.Type) -> String { verb.helpMessage(columns: 10_000) }

/// Returns a verb's name and the examples at the end of its help, each without the program's name and the shell's part.
package func parsedExamples(of verb: any ParsableCommand.Type) throws -> (verb: String, examples: [[String]]) {
    let lines = help(of: verb).split(separator: "\n")
    let program = "  git credential-gitspace "
    let examples: [[String]] = try lines.drop { $0 != "EXAMPLES:" }.dropFirst().prefix { $0.hasPrefix(program) }.map {
        line in
        let words = line.dropFirst(program.count).split(separator: " ").prefix { !$0.hasPrefix("<") }
        let arguments = joiningVerb(words.map { String($0) })
        let type = verbs.first { $0._commandName == arguments.first }
        _ = try type?.parseAsRoot(Array(arguments.dropFirst()))
        return arguments
    }
    return (verb._commandName, examples)
}

/// Returns the parser's complaint about a command, or `nil` if it has none.
package func complaint(about words: [String]) -> String? {
    let words = joiningVerb(words)
    guard let verb = verbs.first(where: { $0._commandName == words.first }) else { return "no such verb" }
    do {
        _ = try verb.parseAsRoot(Array(words.dropFirst()))
        return nil
    } catch { return verb.message(for: error) }
}
