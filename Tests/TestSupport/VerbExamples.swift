package import ArgumentParser
import Verbs

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
