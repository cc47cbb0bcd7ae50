internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import TestSupport
internal import Verbs

/// Parsed command lines, each kept because parsing takes longer than a simulated run.
enum ParsedVerbs {
    nonisolated(unsafe) private static var known: [String: any Verb] = [:]

    static func verb(_ name: String, _ words: [String]) -> (any Verb)? {
        let key = ([name] + words).joined(separator: " ")
        if let verb = known[key] { return verb }
        let type = verbs.first { $0._commandName == name }
        known[key] = (try? type?.parseAsRoot(words)) as? any Verb
        return known[key]
    }
}

extension VerbDependencies {
    static func simulated(_ outside: Outside) -> VerbDependencies {
        let nobody = ScriptedQuestions()
        nobody.canAsk = false
        return VerbDependencies(
            dependencies: { _ in outside.dependencies() }, questions: nobody, files: InMemoryConfigurationFiles(),
            foreignKeyring: InMemoryForeignKeyring(), foreignFiles: InMemoryForeignFiles(),
            inspections: { _ in fatalError("no verb here inspects") },
            unlockableKeyring: { fatalError("no verb here unlocks") },
            sharing: { _ in fatalError("no verb here shares") },
            remote: { nil }, branch: { nil }, isInterrupted: { outside.isInterrupted },
            say: { words in outside.simulation.log { "\(outside.client.number) says: \(words.english)" } },
            print: { _ in })
    }
}
