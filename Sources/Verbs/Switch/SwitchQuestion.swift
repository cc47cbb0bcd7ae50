internal import CredentialCore
internal import Helper

/// `switch` without a name: shows git's account with the reason, and asks for another one.
extension Switch {
    private static let mostAttempts = 5

    /// The answer counts where the account is set now, unless the person has named a place.
    func ask(
        _ scope: AccountScope?, _ context: AccountHost, _ found: [StoredMatch], _ outside: VerbDependencies,
        _ dependencies: Dependencies
    ) throws(UserFacingError) -> ExitStatus {
        let host = context.shown
        let names = context.context.usernames(of: found)
        guard !names.isEmpty else { throw dependencies.notSignedIn(to: host) }
        let lines = try configuration(outside) { files throws(ConfigurationFileError) in
            try files.entries(scope ?? .everywhere)
        }
        let scope = scope ?? AccountScope(at: context.name, among: lines, in: outside.files)
        let chosen = DefaultAccount(of: found, at: context.context, lines, owner: owner)
        let isDefault = { (name: [UInt8]) in
            chosen.map { context.context.isSameAccount($0.username, name) } ?? false
        }
        outside.say(Message("Accounts for %1$s:", host))
        for (number, name) in zip(1..., names) {
            let shown = DisplayText(account: name)
            outside.say(
                .marked(
                    "\(isDefault(name) ? "*" : " ") \(number) ",
                    isDefault(name) ? Message("%1$s  (default)", shown) : Message(verbatim: shown)))
        }
        let isStored = names.contains(where: isDefault)
        if let chosen { outside.say(Self.explanation(chosen, isStored: isStored, context.context)) }
        let exceptions = ConfiguredUsername(lines, for: context.name, owner: owner).exceptions
        say(exceptions, outside, Message("These lines set the account for some of its URLs:"))
        if chosen?.reason == .only { return .done }
        guard outside.mayAsk(dependencies) else {
            throw .noAccountNamed(host: host, names.filter { !isDefault($0) }.map { DisplayText(account: $0) })
        }
        let current = chosen.map { DisplayText(account: $0.username) }
        for attempt in 1... {
            let question =
                current.map { Message("Number or name (Enter keeps %1$s): ", $0) } ?? Message("Number or name: ")
            guard let line = outside.questions.ask(question) else { break }
            if line.isEmpty, chosen != nil { break }
            do throws(UserFacingError) {
                return try choose(
                    try account(line, of: found, context, dependencies, orNumber: true), of: found, scope, context,
                    outside, dependencies)
            } catch {
                guard error.code == .accountNotStored, attempt < Self.mostAttempts else { throw error }
                dependencies.report(error)
            }
        }
        outside.say(Message("Nothing was changed."))
        return .cancelled
    }

    private static func explanation(
        _ account: DefaultAccount, isStored: Bool, _ context: CredentialContext
    ) -> [Message] {
        let name = DisplayText(account: account.username)
        return switch account.reason {
        case .only: [Message("git uses %1$s: it is the only account.", name)]
        case .first: [Message("git uses %1$s unless the remote's URL names another: it was signed in first.", name)]
        case .configured(let line) where isStored: [explanation(name, line.reach), line.place]
        case .configured(let line): [absent(context.shown(account.username)), line.place]
        }
    }

    static func absent(_ name: DisplayText?) -> Message {
        let name: any MessageArgument = name ?? Message("a name that no account can have")
        return Message("git asks for %1$s, which is not signed in. It is set here:", name)
    }

    private static func explanation(_ name: DisplayText, _ reach: ConfigurationLine.Reach) -> Message {
        switch reach {
        case .everywhere: Message("git uses %1$s unless the remote's URL names another. It is set here:", name)
        case .repository:
            Message("git uses %1$s in this repository, unless the remote's URL names another. It is set here:", name)
        case .folder(let path):
            Message(
                "git uses %1$s in repositories below %2$s, unless the remote's URL names another. It is set here:",
                name, path)
        }
    }
}
