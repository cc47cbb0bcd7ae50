package import ArgumentParser
internal import CredentialCore
package import Helper
internal import Language

/// The argument parser's texts, in the person's language.
///
/// The parser's headings, notes and sentences are fixed and come as text, so they are looked up line by line.
package enum ParserWords {
    /// The parser's default for help without a terminal.
    package static let usualColumns = 80

    /// Translates and wraps the parser's help or error, whose lines may have any length.
    package static func lines(_ text: String, columns: Int) -> [String] {
        let isOfVerb = !text.contains("\nSUBCOMMANDS:")
        let lines = withExamplesLast(text.split(separator: "\n", omittingEmptySubsequences: false))
        // The option is the program's, not each verb's.
        return lines.filter { !isOfVerb || !$0.hasPrefix("  --version ") }.flatMap { line in
            // An example can be pasted, so only the terminal wraps it.
            if line.hasPrefix(example) { return [String(line)] }
            if line.hasPrefix(mistake) {
                return Wrapping.lines(
                    sentence(String(line.dropFirst(mistake.count))), columns: columns, prefix: "gitspace: error: ",
                    hanging: "hint: ".count)
            }
            let heading = headings.first { line.hasPrefix($0.key) }
            let rest = line.dropFirst(heading?.key.count ?? 0)
            let prefix = heading.map { Language.text($0) } ?? ""
            return Wrapping.lines(
                prefix.isEmpty || !rest.hasPrefix("git") ? words(String(rest)) : usage(rest), columns: columns,
                prefix: prefix, hanging: heading == overview ? 0 : Language.columns(of: prefix))
        }
    }

    /// Moves the examples behind the options; the parser puts them beside its other text about a verb.
    private static func withExamplesLast(_ lines: [Substring]) -> [Substring] {
        guard let start = lines.firstIndex(where: { $0 == examples }) else { return lines }
        let end = lines[start...].firstIndex(of: "") ?? lines.endIndex
        return [lines[..<start], lines[end...].dropFirst(), lines[start..<end], [""]].flatMap(\.self)
    }

    fileprivate static let examples = "EXAMPLES:"
    fileprivate static let example = "  git credential-gitspace "

    private static let overview = Message("OVERVIEW: ")
    private static let headings = [
        overview, Message("USAGE: "), Message("Usage: "), Message("Help:  "),
        Message("ARGUMENTS:"), Message("OPTIONS:"), Message("SUBCOMMANDS:"), Message("EXAMPLES:"),
    ]

    private static let mistake = "Error: "

    /// The error in the form of all our errors: without a full stop, and in lower case.
    private static func sentence(_ text: String) -> String {
        for (known, ours) in sentences {
            guard let values = values(in: text, of: known) else { continue }
            return Language.wrappable(ours.with(values.map { DisplayText(untrusted: $0.utf8) }))
        }
        let sentence = text.hasSuffix(".") ? text.dropLast() : text[...]
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }

    /// The values between the pieces of a pattern, or `nil` for another text.
    private static func values(in text: String, of pattern: [String]) -> [String]? {
        guard let first = pattern.first, let last = pattern.last, text.hasPrefix(first) else { return nil }
        let rest = text.dropFirst(first.count)
        guard rest.hasSuffix(last) else { return nil }
        let values = rest.dropLast(last.count)
        guard pattern.count == 3 else { return [String(values)] }
        return values.firstRange(of: pattern[1]).map {
            [String(values[..<$0.lowerBound]), String(values[$0.upperBound...])]
        }
    }

    /// The parser's sentences about mistakes, in the pieces around their values, and our sentences for them.
    private static let sentences: [([String], Message)] = [
        (["Unknown option '", "'. Did you mean '", "'?"], Message("unknown option '%1$s'; did you mean '%2$s'?")),
        (["Unknown option '", "'"], Message("unknown option '%1$s'")),
        (["Missing expected argument '", "'"], Message("the argument '%1$s' is missing")),
        (["Missing value for '", "'"], Message("'%1$s' needs a value")),
        (["The option '", "' does not take any value, but '", "' was specified."], Message("'%1$s' takes no value")),
        (["The value '", "' is invalid for '", "'"], Message("'%1$s' is not a valid value for '%2$s'")),
        (["Unexpected argument '", "'"], Message("unexpected argument '%1$s'")),
        (["", " unexpected arguments: '", "'"], Message("%1$s unexpected arguments: '%2$s'")),
    ]

    /// Keeps an option and its value together.
    private static func usage(_ line: Substring) -> String {
        var depth = 0
        return String(
            line.map { character in
                depth += character == "[" ? 1 : character == "]" ? -1 : 0
                return character == " " && depth > 0 ? Message.firmSpace : character
            })
    }

    private static func words(_ line: String) -> String {
        for note in notes {
            let parts = note.key.split(separator: "%1$s")
            if line.hasSuffix(parts[1]), let start = line.ranges(of: parts[0]).last {
                let shown = DisplayText(trusted: String(line[start.upperBound...].dropLast(parts[1].count)))
                return line[..<start.lowerBound] + Language.text(note.with([shown]))
            }
        }
        guard let end = endings.first(where: { line.hasSuffix("  " + $0.key) }) else { return line }
        return line.dropLast(end.key.count) + Language.text(end)
    }

    private static let endings = [Message("Show help information."), Message("Show the version.")]

    private static let notes = [
        Message("(values: %1$s)"), Message("(default: %1$s)"), Message("  See '%1$s' for detailed help."),
        Message("  See '%1$s' for more information."),
    ]
}

// MARK: Texts of -h and of usage errors, in the person's language

extension CommandConfiguration {
    /// The summary is one line, and the examples are without the program's name.
    package init(
        _ name: String, _ abstract: Message, _ discussion: Message..., examples: [String] = [], version: String = "",
        isListed: Bool = true, subcommands: [any ParsableCommand.Type] = []
    ) {
        let examples = examples.map { "\n" + ParserWords.example + $0 }.joined()
        self.init(
            commandName: name, abstract: Language.wrappable(abstract),
            discussion: discussion.map { Language.wrappable($0) }.joined(separator: " ")
                + (examples.isEmpty ? "" : (discussion.isEmpty ? "" : "\n\n") + ParserWords.examples + examples),
            version: version, shouldDisplay: isListed, subcommands: subcommands)
    }
}

extension ArgumentHelp {
    init(_ message: Message, valueName: String? = nil) { self.init(Language.wrappable(message), valueName: valueName) }
}

extension ValidationError {
    init(_ message: Message) { self.init(Language.wrappable(message)) }
}
