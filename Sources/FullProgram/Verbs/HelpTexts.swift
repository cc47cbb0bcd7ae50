internal import ArgumentParser
internal import Language
internal import Messages
internal import Words

// The texts of `-h` come from Messages, in the person's language.
extension CommandConfiguration {
    /// A verb.
    init(_ name: String, _ help: VerbHelp, version: String = "", subcommands: [any ParsableCommand.Type] = []) {
        self.init(
            commandName: name, abstract: Language.wrappable(help.abstract),
            discussion: help.discussion.map { Language.wrappable($0) }.joined(separator: " "),
            version: version, subcommands: subcommands)
    }
}

extension ArgumentHelp {
    /// What an argument or option means.
    init(_ message: Message, valueName: String? = nil) {
        self.init(Language.wrappable(message), valueName: valueName)
    }
}

extension ValidationError {
    /// What is wrong with the arguments.
    init(_ message: Message) { self.init(Language.wrappable(message)) }
}
