package import CredentialCore
package import Helper
internal import Providers

/// The questions of `logout` at a terminal: the account, and whether another tool may lose its token.
extension LogoutAccounts {
    private static let mostAttempts = 5

    /// Returns one of the accounts, all, or none if the person picks none.
    func pick(from names: [[UInt8]], _ questions: any Questions) -> [[UInt8]] {
        let shown = names.map { DisplayText(account: $0) }
        say(Message("Accounts for %1$s:", host))
        for (number, name) in zip(1..., shown) { say(.marked("  \(number) ", Message(verbatim: name))) }
        let all = "\(names.count + 1)"
        say(.marked("  \(DisplayText(trusted: all)) ", Message("all of them")))
        for _ in 1...Self.mostAttempts {
            guard let line = questions.ask(Message("Number or name: ")) else { break }
            if let name = context.name(line, among: names, orNumber: true) { return [name] }
            if line == all { return names }
            dependencies.report(
                .accountNotStored(context.shown(Array(line.utf8)), host: host, stored: shown, verb: "logout"))
        }
        return []
    }

    /// Whether tokens that another tool has too may be revoked, which signs that tool out.
    func mayRevoke(
        _ found: [StoredMatch], _ outside: VerbDependencies
    ) throws(UserFacingError) -> Bool {
        let search = ForeignSearch(
            host: signIn?.host.name ?? context.host, keyring: outside.usedForeignKeyring, files: outside.foreignFiles,
            environment: dependencies.environment)
        let foreign = try rethrowing(as: UserFacingError.keyring, try search.signIns())
        for credential in found.map(\.credential) {
            guard let tool = foreign.first(where: { $0.password == credential.password })?.tool.name else { continue }
            let account = DisplayText(account: credential.username)
            guard outside.mayAsk(dependencies) else {
                throw .tokenIsShared(with: tool, account: account, host: host, word(credential.username))
            }
            let question = Message(
                "%1$s has the same token of %2$s, and could not use it any more. Revoke it? [y/N] ", tool, account)
            guard outside.isYes(question, or: false) == true else { return false }
        }
        return true
    }
}

extension UserFacingError {
    package static func tokenIsShared(
        with tool: DisplayText, account: DisplayText, host: DisplayText, _ word: DisplayText
    ) -> UserFacingError {
        let logout: DisplayText = "git credential-gitspace logout \(word: host)\(word)"
        return UserFacingError(
            .notRevoked, Message("%1$s has the same token of %2$s; nothing was revoked or removed", tool, account),
            [
                Message("to remove it from gitspace alone:"), .command(logout),
                Message("to revoke it all the same:"), .command("\(logout) --revoke --force"),
            ])
    }
}
