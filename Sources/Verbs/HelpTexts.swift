package import ArgumentParser
internal import Language
package import Messages

// The texts of `-h` come from Messages, in the person's language.
extension CommandConfiguration {
    /// A verb: what it does, in a line, and what else there is to know, a sentence each.
    package init(
        _ name: String, _ abstract: Message, _ discussion: Message..., version: String = "",
        subcommands: [any ParsableCommand.Type] = []
    ) {
        self.init(
            commandName: name, abstract: Language.wrappable(abstract),
            discussion: discussion.map { Language.wrappable($0) }.joined(separator: " "), version: version,
            subcommands: subcommands)
    }

    /// A verb.
    init(_ name: String, _ help: VerbHelp) {
        self.init(
            commandName: name, abstract: Language.wrappable(help.abstract),
            discussion: help.discussion.map { Language.wrappable($0) }.joined(separator: " "))
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
