internal import CredentialCore
internal import Helper

/// Errors about accounts that are not stored, or of which only memory could have a token.
extension UserFacingError {
    static let seeStored = [Message("see what is stored:"), Message.command("git credential-gitspace status")]

    /// Without a keyring, git's in-memory cache is all there is.
    static func onlyMemory(_ error: KeyringError, _ host: DisplayText, _ hints: [Message]) -> ErrorText {
        ErrorText(
            Message("not signed in to %1$s: memory has no token for it, and %2$s", host, error.words.what), hints)
    }

    static func accountNotStored(
        _ account: DisplayText, _ host: DisplayText, _ stored: [DisplayText], _ verb: DisplayText?
    ) -> ErrorText {
        let what = Message("the account %1$s is not stored for %2$s", account, host)
        guard let verb else {
            return ErrorText(what, [Message("stored accounts: %1$s", stored.joined(separator: ", "))])
        }
        // The name is an argument of `switch` itself.
        let option: DisplayText = verb == "switch" ? "" : "--username "
        return ErrorText(
            what,
            [Message("stored accounts:")]
                + stored.map { .command("git credential-gitspace \(verb) \(word: host) \(option)\(word: $0)") })
    }
}
