package import Messages

/// What was found and what to do about it, in reports that are no errors.
package struct ErrorText: Equatable, Sendable {
    /// What was found.
    package let what: Message
    /// What to do, a line each.
    package let hints: [Message]

    package init(_ what: Message, _ hints: [Message] = []) {
        self.what = what
        self.hints = hints
    }

    /// The words of an error.
    package init(_ error: UserFacingError) { self.init(error.text, error.hints) }
}
