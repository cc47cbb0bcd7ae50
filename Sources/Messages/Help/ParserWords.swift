internal import CredentialCore

/// The argument parser's texts, in the person's language.
///
/// The parser does not tell kinds of errors, and its headings are fixed: all it gives is text. So each line is looked
/// up with `%1$s` in place of what is quoted. An unknown line stays in English.
package enum ParserWords {
    /// The columns of help that does not go to a terminal: as wide as the parser makes it.
    package static let usualColumns = 80

    /// Translates the parser's help or error, and breaks it into lines.
    ///
    /// - Parameters:
    ///   - text: the parser's lines, of any length.
    ///   - columns: the width.
    /// - Returns: the lines.
    package static func lines(_ text: String, columns: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let (heading, rest) = heading(of: line)
            let prefix = heading.map { Language.text($0) } ?? ""
            return Wrapping.lines(
                prefix.isEmpty || !rest.hasPrefix("git") ? words(String(rest)) : usage(rest), columns: columns,
                prefix: prefix, hanging: heading == overview ? 0 : Language.columns(of: prefix))
        }
    }

    /// A text of the parser that programs read as well, unchanged.
    package static func unchanged(_ text: String) -> String { Wrapping.plain(text) }

    /// The heading of a line, and the rest of it.
    private static func heading(of line: Substring) -> (Message?, Substring) {
        headings.first { line.hasPrefix($0.key) }.map { ($0, line.dropFirst($0.key.count)) } ?? (nil, line)
    }

    private static let overview = Message("OVERVIEW: ")
    private static let headings = [
        overview, Message("USAGE: "), Message("Usage: "), Message("Error: "), Message("Help:  "),
    ]

    /// Keeps an option and its value together.
    private static func usage(_ line: Substring) -> String {
        var depth = 0
        return String(
            line.map { character in
                depth += character == "[" ? 1 : character == "]" ? -1 : 0
                return character == " " && depth > 0 ? Wrapping.firmSpace : character
            })
    }

    private static func words(_ line: String) -> String {
        for value in values {
            let parts = value.key.split(separator: "%1$s")
            if line.hasSuffix(")"), let start = line.ranges(of: parts[0]).last {
                let shown = DisplayText(own: String(line[start.upperBound...].dropLast()))
                return line[..<start.lowerBound] + Language.text(value.with([shown]))
            }
        }
        if let end = endings.first(where: { line.hasSuffix("  " + $0.key) }) {
            return line.dropLast(end.key.count) + Language.text(end)
        }
        let parts = line.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return line }
        let key = parts.enumerated().map { number, part in
            number % 2 == 0 ? String(part) : "'%\((number + 1) / 2)$s'"
        }.joined()
        guard let sentence = sentences.first(where: { $0.key == key }) else { return line }
        let quoted = parts.enumerated().filter { $0.offset % 2 == 1 }.map { DisplayText(own: String($0.element)) }
        return Language.text(sentence.with(quoted))
    }

    /// The texts after the parser's own options.
    private static let endings = [Message("Show help information."), Message("Show the version.")]

    /// The note on a value, after its option's text.
    private static let values = [Message("(values: %1$s)"), Message("(default: %1$s)")]

    private static let sentences = [
        Message("ARGUMENTS:"), Message("OPTIONS:"), Message("SUBCOMMANDS:"),
        Message("  See '%1$s' for detailed help."),
        Message("  See '%1$s' for more information."),
        Message("Unknown option '%1$s'"),
        Message("Unknown option '%1$s'. Did you mean '%2$s'?"),
        Message("Missing value for '%1$s'"),
        Message("Missing expected argument '%1$s'"),
        Message("The option '%1$s' does not take any value, but '%2$s' was specified."),
        Message("Unexpected argument '%1$s'"),
        Message("2 unexpected arguments: '%1$s', '%2$s'"),
        Message("3 unexpected arguments: '%1$s', '%2$s', '%3$s'"),
        Message("The value '%1$s' is invalid for '%2$s'. Please provide one of '%3$s', '%4$s' or '%5$s'."),
    ]
}

/// What is wrong with options that each are right.
package enum UsageWords {
    package static let forceWithoutRevoke = Message("'--force' can only be used together with '--revoke'.")
    package static let allWithAccount = Message("'--all' cannot be used together with an account.")
    package static let unsetWithAccount = Message("'--unset' takes no account.")
    package static let proactiveForSystem = Message(
        "'--proactive' depends on your own accounts, so it cannot be used with '--system'.")
    package static let confirmation = Message("'--confirm' takes never, once or each.")
    package static let shareForms = Message(
        "Use 'share NAME', 'share ssh HOST', 'share list' or 'share stop NAME [--refresh]'; '--name' goes with ssh.")
    package static let lifetime = Message("'--for' takes minutes, hours or days, such as 30m, 8h or 2d.")
}
