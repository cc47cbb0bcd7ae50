internal import CredentialCore
internal import Helper

extension SignInAgain {
    /// The command by which the account signs in again.
    ///
    /// - Parameters:
    ///   - host: the host.
    ///   - isForced: whether the host may accept the stored token, which then is not enough.
    /// - Returns: the command, without indentation.
    func command(_ host: DisplayText, isForced: Bool = false) -> DisplayText {
        var words: [DisplayText] = ["git credential-gitspace login \(word: host)"]
        if let account { words.append("--username \(word: account)") }
        // A token that is entered replaces the stored one in any case.
        if isByToken { words.append("--with-token") } else if isForced { words.append("--force") }
        return words.joined(separator: " ")
    }
}

extension Message {
    /// The command by which an account signs in again, on a line of its own.
    static func login(_ host: DisplayText, _ again: SignInAgain, isForced: Bool = false) -> Message {
        .command(again.command(host, isForced: isForced))
    }
}
