package import CredentialCore
package import Helper
package import Messages
internal import OAuth

/// The verb `switch`: which account git uses for a remote that names none, by git's own `credential.<url>.username`.
package struct Switch: Command {
    private let request: Request
    private let action: Action
    private let questions: any Questions
    private let files: any ConfigurationFiles
    private let dependencies: Dependencies

    /// How often a wrong answer can be corrected.
    private static let mostAttempts = 5

    /// What is to be done.
    package enum Action: Equatable {
        /// Shows the accounts and asks.
        case ask
        /// Makes this one the default account.
        case choose(String)
        /// Removes the choice.
        case unset
    }

    /// A change of the default account.
    ///
    /// - Parameters:
    ///   - request: the host.
    ///   - action: what is to be done.
    ///   - questions: the person.
    ///   - files: git's configuration.
    ///   - dependencies: everything else outside.
    package init(
        _ request: Request, _ action: Action, questions: any Questions, files: any ConfigurationFiles,
        with dependencies: Dependencies
    ) {
        self.request = request
        self.action = action
        self.questions = questions
        self.files = files
        self.dependencies = dependencies
    }

    /// What it reports.
    package enum Report: Equatable {
        /// The accounts in their order, and which of them is the default.
        case accounts([DisplayText], host: DisplayText, default: DisplayText?, because: DefaultAccount.Reason?)
        /// It is the default account from now on, except for those parts of the host.
        case chosen(DisplayText, host: DisplayText, file: DisplayText, Lines)
        /// Another line of git's configuration still takes precedence.
        case outranked(DisplayText, by: ConfigurationLine)
        /// Nothing is configured any more; the default account is this one now.
        case unset(host: DisplayText, default: DisplayText?, because: DefaultAccount.Reason?)
        /// Nothing has changed.
        case kept
    }

    /// Lines of git's configuration for a part of the host.
    package struct Lines: Equatable {
        /// They name another account there.
        package let exceptions: [ConfigurationLine]
        /// They did, until the choice was written after them.
        package let overridden: [ConfigurationLine]
    }

    /// Shows, asks, writes.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let context = try ContextResolver(with: dependencies).signInContext(of: request)
        let found = try stored(context)
        switch action {
        case .unset: return try unset(context, found, tell)
        case .choose(let name):
            return try choose(try account(name, of: found, context.host), of: found, context, tell)
        case .ask: return try ask(context, found, tell)
        }
    }

    private func ask(
        _ context: SignInContext, _ found: [StoredMatch], _ tell: (Report) -> Void
    ) throws(UserFacingError) -> ExitStatus {
        let host = context.host.displayName
        let names = found.usernames
        guard !names.isEmpty else { throw dependencies.notSignedIn(to: host) }
        let chosen = DefaultAccount(of: found, configured: try configured(context.host))
        let current = chosen.map { DisplayText($0.username) }
        tell(.accounts(names.map { DisplayText($0) }, host: host, default: current, because: chosen?.reason))
        if chosen?.reason == .only { return .done }
        guard questions.canAsk, try !isForbidden() else {
            throw .noAccountNamed(
                host: host, names.filter { $0 != chosen?.username }.map { DisplayText($0) })
        }
        for attempt in 1... {
            guard case .line(let line) = questions.ask(.account(current: current)) else { break }
            if line.isEmpty, chosen != nil { break }
            do throws(UserFacingError) {
                return try choose(
                    try account(line, of: found, context.host, orNumber: true), of: found, context, tell)
            } catch {
                guard error.code == .accountNotStored, attempt < Self.mostAttempts else { throw error }
                dependencies.report(error)
            }
        }
        tell(.kept)
        return .cancelled
    }

    /// The stored account that a person means, in its own spelling.
    private func account(
        _ text: String, of found: [StoredMatch], _ host: SignInHost, orNumber: Bool = false
    ) throws(UserFacingError) -> [UInt8] {
        let names = found.usernames
        if let name = names.first(where: { $0.elementsEqual(text.utf8) }) { return name }
        let alike = names.filter { ASCII.equalsIgnoringCase($0, text) }
        if let name = alike.first, alike.count == 1 { return name }
        if orNumber, let number = Int(text), names.indices.contains(number - 1) { return names[number - 1] }
        guard !names.isEmpty else { throw dependencies.notSignedIn(to: host.displayName) }
        throw .accountNotStored(
            DisplayText(text.utf8), host: host.displayName, stored: names.map { DisplayText($0) }, verb: "switch")
    }

    private func choose(
        _ name: [UInt8], of found: [StoredMatch], _ context: SignInContext, _ tell: (Report) -> Void
    ) throws(UserFacingError) -> ExitStatus {
        try checkOwner(of: name, found, context)
        let file: String
        do throws(ConfigurationFileError) {
            for key in Self.keys(of: context.host) { try files.set(key, to: String(decoding: name, as: UTF8.self)) }
            file = try files.path(of: .global)
        } catch {
            throw .configuration(error, verb: "switch")
        }
        let configured = try configured(context.host)
        if let line = configured.line, line.entry.value.map({ Array($0.utf8) }) != name {
            tell(.outranked(DisplayText(name), by: ConfigurationLine(line)))
            return .failed
        }
        let lines = Lines(
            exceptions: configured.exceptions.map { ConfigurationLine($0) },
            overridden: configured.overridden.map { ConfigurationLine($0) })
        tell(.chosen(DisplayText(name), host: context.host.displayName, file: DisplayText(file.utf8), lines))
        return .done
    }

    /// Throws if git would use another account in this one's name.
    ///
    /// Whatever else the host says, or does not say, is left to git's next command.
    private func checkOwner(
        of name: [UInt8], _ found: [StoredMatch], _ context: SignInContext
    ) throws(UserFacingError) {
        guard let credential = found.first(where: { $0.credential.username == name })?.credential,
            credential.isAlive(at: dependencies.clock.now)
        else { return }
        let server = try? context.server(with: dependencies)
        guard case .otherAccount(let owner) = context.standing(of: credential, at: server, with: dependencies) else {
            return
        }
        throw .storedOfAnother(account: DisplayText(name), owner: owner, host: context.host.displayName)
    }

    private func unset(
        _ context: SignInContext, _ found: [StoredMatch], _ tell: (Report) -> Void
    ) throws(UserFacingError) -> ExitStatus {
        do throws(ConfigurationFileError) {
            for key in Self.keys(of: context.host) { try files.unset(key) }
        } catch {
            throw .configuration(error, verb: "switch")
        }
        let configured = try configured(context.host)
        let now = DefaultAccount(of: found, configured: configured)
        if let line = configured.line {
            tell(.outranked("", by: ConfigurationLine(line)))
            return .failed
        }
        tell(
            .unset(
                host: context.host.displayName, default: now.map { DisplayText($0.username) }, because: now?.reason))
        return .done
    }

    /// A gist is pushed with the account of github.com.
    private static func keys(of host: SignInHost) -> [String] {
        let name = String(decoding: host.name.text, as: UTF8.self)
        let hosts = host.isBuiltIn && name == "github.com" ? [name, "gist.github.com"] : [name]
        return hosts.map { "credential.https://\($0).username" }
    }

    private func stored(_ context: SignInContext) throws(UserFacingError) -> [StoredMatch] {
        do {
            let everything = CredentialContext(context.host, path: nil).everything(user: nil)
            return try Lookup(with: dependencies).all(everything)
        } catch {
            throw .keyring(error)
        }
    }

    private func configured(_ host: SignInHost) throws(UserFacingError) -> ConfiguredUsername {
        do {
            return ConfiguredUsername(try files.entries(), for: host.name)
        } catch {
            throw .configuration(error, verb: "switch")
        }
    }

    private func isForbidden() throws(UserFacingError) -> Bool {
        do {
            return try ContextResolver(with: dependencies).prohibition != nil
        } catch {
            throw .configurationUnreadable(error)
        }
    }
}
