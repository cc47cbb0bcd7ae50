internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Messages
internal import Verbs

/// Each is parsed once: that takes longer than to run it.
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
        let nothing = Nothing()
        return VerbDependencies(
            dependencies: { _ in outside.dependencies() }, questions: nothing, files: nothing, foreignKeyring: nothing,
            foreignFiles: nothing, inspections: { _ in fatalError("no verb here inspects") },
            unlockableKeyring: { fatalError("no verb here unlocks") },
            sharing: { _ in fatalError("no verb here shares") },
            remote: { nil }, branch: { nil }, isInterrupted: { outside.isInterrupted },
            say: { words in outside.simulation.log { "\(outside.client.number) says: \(words.english)" } },
            print: { _ in })
    }
}

/// No git configuration, no other program's files, nobody who answers.
private final class Nothing: Questions, ConfigurationFiles, ForeignKeyring, ForeignFiles {
    let canAsk = false
    let isInputTyped = false

    func ask(_: Message) -> String? { nil }

    func ask(_: Message, for _: AskedSecret) -> Secret? { nil }

    func open(_: HTTPSAddress) -> Bool { false }

    func entries() throws(ConfigurationFileError) -> [OriginatedEntry] { [] }

    func entries(of _: ConfigurationScope) throws(ConfigurationFileError) -> [ConfigurationEntry] { [] }

    func path(of _: ConfigurationScope) throws(ConfigurationFileError) -> String { "/nowhere" }

    func contents(of _: ConfigurationScope) throws(ConfigurationFileError) -> [UInt8]? { nil }

    func edit(
        _: ConfigurationScope, _: ([UInt8]?) throws(ConfigurationFileError) -> ConfigurationEdit
    ) throws(ConfigurationFileError) {}

    var ownCommand: HelperCommand? { nil }
    var isOnPath: Bool { false }

    func gitVersion() -> [UInt8]? { nil }

    func isProgram(_: String) -> Bool { false }

    func set(_: String, to _: String, in _: ConfigurationScope) throws(ConfigurationFileError) {}

    func unset(_: String, in _: ConfigurationScope) throws(ConfigurationFileError) {}

    func folder(_ path: String, orGone _: Bool) throws(ConfigurationFileError) -> String { path }

    func foreignItems(having _: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem] { [] }

    func contents(of _: String) -> FileContents { .absent }
}
