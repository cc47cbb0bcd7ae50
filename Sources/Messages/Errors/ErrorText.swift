/// What failed and what to do about it: the one form in which an error reaches a person.
///
/// Rules for the texts of this folder: lower case, no full stop; a hint is a line, and a command to paste comes last,
/// on a line of its own, indented.
package struct ErrorText: Equatable, Sendable {
    /// What failed.
    package let what: Message
    /// What to do, a line each.
    package let hints: [Message]

    package init(_ what: Message, _ hints: [Message] = []) {
        self.what = what
        self.hints = hints
    }

    /// The same advice about something that failed for that reason.
    ///
    /// - Parameter outer: says what failed, with this text as a placeholder's value.
    /// - Returns: that text, with these hints.
    func within(_ outer: (Message) -> Message) -> ErrorText { ErrorText(outer(what), hints) }
}
