internal import CredentialCore
internal import Helper

/// `switch` without a name: shows git's account with the reason, and asks for another one.
extension AccountChange {
    private static let mostAttempts = 5

    /// The answer counts where the account is set now, unless the person has named a place.
    func ask(_ scope: AccountScope?) throws(UserFacingError) -> ExitStatus {
        guard !names.isEmpty else { throw dependencies.notSignedIn(to: shown) }
        let lines = try rethrowing(as: Switch.words, try outside.files.entries(scope ?? .everywhere))
        let scope = scope ?? AccountScope(at: context.host, owner, among: lines, in: outside.files)
        let chosen = DefaultAccount(of: found, at: context, lines, owner: owner)
        let isDefault = { (name: [UInt8]) in chosen.map { context.isSameAccount($0.username, name) } ?? false }
        outside.say(Message("Accounts for %1$s:", shown))
        for (number, name) in zip(1..., names) {
            let account = DisplayText(account: name)
            outside.say(
                .marked(
                    "\(isDefault(name) ? "*" : " ") \(number) ",
                    isDefault(name) ? Message("%1$s  (default)", account) : Message(verbatim: account)))
        }
        if let chosen { outside.say(explanation(chosen, isStored: names.contains(where: isDefault))) }
        let parts = ConfiguredUsername(lines, for: context.host, owner: owner).exceptions
        outside.say(Message("These lines set the account for some of its URLs:"), above: parts.map(\.placeAndValue))
        if chosen?.reason == .only { return .done }
        guard outside.mayAsk(dependencies) else {
            let others = names.filter { !isDefault($0) }.map { DisplayText(account: $0) }
            throw .noAccountNamed(host: shown, others, options: scope.options(owner))
        }
        let question =
            chosen.map { Message("Number or name (Enter keeps %1$s): ", $0.shown) } ?? Message("Number or name: ")
        for attempt in 1... {
            guard let line = outside.questions.ask(question), !line.isEmpty || chosen == nil else { break }
            do throws(UserFacingError) {
                return try choose(line, scope, orNumber: true)
            } catch {
                guard error.code == .accountNotStored, attempt < Self.mostAttempts else { throw error }
                dependencies.report(error)
            }
        }
        outside.say(Message("Nothing was changed."))
        return .cancelled
    }

    private func explanation(_ account: DefaultAccount, isStored: Bool) -> [Message] {
        let name = account.shown
        switch account.reason {
        case .only: return [Message("git uses %1$s: it is the only account.", name)]
        case .first:
            return [Message("git uses %1$s unless the remote's URL names another: it was signed in first.", name)]
        case .configured(let line, _) where !isStored:
            return [Self.absent(context.shown(account.username)), line.place]
        case .configured(let line, let reach):
            let text =
                switch reach {
                case .everywhere: Message("git uses %1$s unless the remote's URL names another. It is set here:", name)
                case .repository:
                    Message(
                        "git uses %1$s in this repository, unless the remote's URL names another. It is set here:",
                        name)
                case .folder(let path):
                    Message(
                        "git uses %1$s in repositories below %2$s, unless the remote's URL names another. It is set here:",
                        name, path)
                }
            return [text, line.place]
        }
    }

    static func absent(_ name: DisplayText?) -> Message {
        let name: any MessageArgument = name ?? Message("a name that no account can have")
        return Message("git asks for %1$s, which is not signed in. It is set here:", name)
    }
}
