package import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// The sign-in of `setup`, by the first of these ways that is possible: what is stored already, what gh or Git
/// Credential Manager has, the client ID that is known, one that is registered now, the person's own token.
package struct SetupSignIn {
    private let request: Request
    private let options: Setup.Options
    private let outside: Setup.Outside

    /// How often a token that the host refuses can be corrected.
    private static let mostAttempts = 3

    init(_ request: Request, _ options: Setup.Options, with outside: Setup.Outside) {
        self.request = request
        self.options = options
        self.outside = outside
    }

    /// What it reports.
    package enum Report: Equatable {
        /// A token is stored, and the host accepts it.
        case accepted(account: DisplayText, host: DisplayText)
        /// A token is stored, and the host has not said whether it accepts it.
        case unverified(account: DisplayText, host: DisplayText)
        /// A token is stored that the host rejects.
        case rejected(account: DisplayText, host: DisplayText)
        /// A token is stored for the account, and the host says that it is another's; what the host calls that one.
        case belongsToAnother(account: DisplayText, owner: DisplayText?)
        /// So is another tool's; it is left alone.
        case foreignOfAnother(ImportSource, account: DisplayText, owner: DisplayText)
        /// Another tool has a token that the host rejects; it is left alone.
        case foreignRejected(ImportSource, account: DisplayText, host: DisplayText)
        /// Another tool's token is stored for git as well.
        case takenOver(ImportSource, account: DisplayText, host: DisplayText, storage: CredentialStorage)
        /// There is no client ID, and there are two ways to go on.
        case noClientID(host: DisplayText)
        /// How to register an app.
        case registration(Register.Report)
        /// Create a token, on that page if it is known.
        case tokenPage(HTTPSAddress?)
        /// What that token must permit, in the words of the page.
        case tokenPermissions(DisplayText)
        /// What `login` tells.
        case login(Login.Report)

        /// Whether it is about an entry that is not used.
        fileprivate var namesSkipped: Bool {
            switch self {
            case .rejected, .belongsToAnother, .foreignRejected, .foreignOfAnother: true
            default: false
            }
        }
    }

    /// Signs in if nobody is signed in.
    func run(_ tell: (Report) -> Void) throws(Setup.Failure) {
        var context = try context()
        let host = context.host.displayName
        if options.withToken { return try signInByToken(context, .token(host: host), attempts: 1, tell) }
        if context.needsNoPerson { return try loginAsApp(context, tell) }
        // A name in a stored entry may come from a URL, and must not stand above the code.
        var skipped: [Report] = []
        defer { skipped.forEach(tell) }
        if try isSignedIn(context, { $0.namesSkipped ? skipped.append($0) : tell($0) }) { return }
        if try takeOver(context, { $0.namesSkipped ? skipped.append($0) : tell($0) }) { return }
        if context.clientID == nil {
            // Such a host cannot tell whose a token is either, so a token cannot be pasted instead.
            guard context.host.provider.registration(of: .oauthApp, on: context.host) != nil else {
                throw .failed(.noRegistrationPage(host: host))
            }
            guard !options.isUnattended, Self.canAsk(with: outside) else {
                throw .failed(.noClientID(host: host))
            }
            tell(.noClientID(host: host))
            guard try wantsRegistration() else {
                tell(.tokenPage(context.host.provider.page(.newToken, on: context.host)))
                return try signInByToken(
                    context, .pastedToken(host: host), attempts: Self.mostAttempts, tell)
            }
            try register(tell)
            context = try self.context()
        }
        // Not forced: another terminal may have signed in since, which `login` then takes.
        try login(context, isForced: false, tell)
    }

    private func context() throws(Setup.Failure) -> SignInContext {
        do {
            return try ContextResolver(with: outside.dependencies()).signInContext(of: request)
        } catch {
            throw .failed(error)
        }
    }

    // MARK: What is stored already

    private func isSignedIn(_ context: SignInContext, _ tell: (Report) -> Void) throws(Setup.Failure) -> Bool {
        let dependencies = outside.dependencies()
        let found: StoredMatch?
        do {
            found = try Lookup(with: dependencies).best(context.ofGitsAccount(with: dependencies).query(path: nil)) {
                true
            }
        } catch {
            throw error == .interrupted ? .cancelled : .failed(.keyring(error))
        }
        guard let credential = found?.credential else { return false }
        let (account, host) = (DisplayText(credential.username), context.host.displayName)
        guard credential.isAlive(at: dependencies.clock.now) else {
            guard credential.oauthRefreshToken != nil, context.clientID != nil else { return false }
            try login(context, isForced: false, tell)
            return true
        }
        let server = try? context.server(with: dependencies)
        switch context.standing(of: credential, at: server, with: dependencies) {
        case .accepted: tell(.accepted(account: account, host: host))
        case .otherAccount(let owner as DisplayText?), .unclaimed(let owner):
            tell(.belongsToAnother(account: account, owner: owner))
            return false
        case .unknown: tell(.unverified(account: account, host: host))
        case .rejected:
            tell(.rejected(account: account, host: host))
            return false
        case .interrupted: throw .cancelled
        }
        return true
    }

    // MARK: What other tools have

    /// Imports the first sign-in of another tool that the host accepts, and the person agrees to.
    private func takeOver(_ context: SignInContext, _ tell: (Report) -> Void) throws(Setup.Failure) -> Bool {
        let host = context.host.displayName
        let asked = context.ofGitsAccount(with: outside.dependencies()).username
        for credential in try ForeignSignIns(with: outside).all(on: context) {
            let dependencies = outside.dependencies()
            let login: DisplayText
            switch context.standing(of: credential.stored, at: nil, with: dependencies) {
            case .accepted(let owner?), .unclaimed(let owner?): login = owner
            case .otherAccount(let owner):
                tell(.foreignOfAnother(credential.source, account: DisplayText(credential.user), owner: owner))
                continue
            case .rejected:
                tell(.foreignRejected(credential.source, account: DisplayText(credential.user), host: host))
                continue
            // The host would not tell about the next one either.
            case .unknown, .accepted(nil), .unclaimed(nil): return false
            case .interrupted: throw .cancelled
            }
            if let asked, !ASCII.equalsIgnoringCase(asked, login.text) { continue }
            guard try mayTake(credential.source, login, host) else { continue }
            do {
                try TokenLogin(context, outside.questions, with: dependencies)
                    .keep(credential.password, as: asked ?? Array(login.text.utf8))
            } catch {
                throw .failed(error)
            }
            let storage = dependencies.keyring.storage
            tell(.takenOver(credential.source, account: login, host: host, storage: storage))
            return true
        }
        return false
    }

    private func mayTake(
        _ source: ImportSource, _ account: DisplayText, _ host: DisplayText
    ) throws(Setup.Failure) -> Bool {
        guard !options.isUnattended else { return true }
        guard Self.canAsk(with: outside) else { throw .failed(.setupNeedsAnswer(host: host)) }
        return try Self.isYes(.takeOver(source, account: account, host: host), with: outside)
    }

    // MARK: A client ID, or the person's token

    private func wantsRegistration() throws(Setup.Failure) -> Bool {
        while true {
            guard case .line(let answer) = outside.questions.ask(.way) else { throw .cancelled }
            if ["", "1"].contains(answer) { return true }
            if answer == "2" { return false }
        }
    }

    private func register(_ tell: (Report) -> Void) throws(Setup.Failure) {
        let register = Register(
            request, .oauthApp, clientID: nil, questions: outside.questions, files: outside.files,
            with: outside.dependencies())
        let status: ExitStatus
        do {
            status = try register.run { report in
                // `setup` as a whole may have changed something.
                if report != .cancelled { tell(.registration(report)) }
            }
        } catch {
            throw .failed(error)
        }
        guard status == .done else { throw .cancelled }
    }

    private func signInByToken(
        _ context: SignInContext, _ question: Question, attempts: Int, _ tell: (Report) -> Void
    ) throws(Setup.Failure) {
        let dependencies = outside.dependencies()
        for attempt in 1...attempts {
            let account: [UInt8]?
            do throws(UserFacingError) {
                account = try TokenLogin(context, outside.questions, with: dependencies).run(asking: question)
            } catch {
                guard Self.isWorthAnotherToken(error), attempt < attempts else { throw .failed(error) }
                dependencies.report(error)
                continue
            }
            guard let account else { throw .cancelled }
            let storage = dependencies.keyring.storage
            let host = context.host.displayName
            return tell(.login(.tokenKept(account: DisplayText(account), host: host, storage: storage)))
        }
    }

    static func isWorthAnotherToken(_ error: UserFacingError) -> Bool {
        error.code == .tokenUnusable
    }

    // MARK: The sign-in itself

    /// Of several installations, each gets its token when git asks for a repository of its owner; `doctor` lists them.
    private func loginAsApp(_ context: SignInContext, _ tell: (Report) -> Void) throws(Setup.Failure) {
        do throws(Setup.Failure) {
            try login(context, isForced: true, tell)
        } catch {
            guard case .failed(let error) = error, [.severalInstallations, .repositoryUnknown].contains(error.code)
            else { throw error }
        }
    }

    private func login(_ context: SignInContext, isForced: Bool, _ tell: (Report) -> Void) throws(Setup.Failure) {
        let status: ExitStatus
        do throws(UserFacingError) {
            status = try Login(request, isForced: isForced, with: outside.dependencies()).run { tell(.login($0)) }
        } catch {
            guard error.code == .nobodyHere else { throw .failed(error) }
            let prohibition = try? ContextResolver(with: outside.dependencies()).prohibition
            throw .failed(.setupNeedsPerson(host: context.host.displayName, because: prohibition?.setting))
        }
        guard status == .done else { throw .cancelled }
    }

    // MARK: Questions

    /// Whether somebody can be asked, and nothing forbids it.
    static func canAsk(with outside: Setup.Outside) -> Bool {
        guard outside.questions.canAsk else { return false }
        do {
            return try ContextResolver(with: outside.dependencies()).prohibition == nil
        } catch {
            return false
        }
    }

    /// Asks until the answer is clear; an empty one is a yes.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - outside: asks the person.
    /// - Returns: whether they said yes.
    /// - Throws: `Setup.Failure` if the person cancels.
    static func isYes(_ question: Question, with outside: Setup.Outside) throws(Setup.Failure) -> Bool {
        while true {
            guard case .line(let answer) = outside.questions.ask(question) else { throw .cancelled }
            if answer.isEmpty || ["y", "yes", "ㅛ", "예", "네"].contains(answer.lowercased()) { return true }
            if ["n", "no", "ㅜ", "아니요", "아니오"].contains(answer.lowercased()) { return false }
        }
    }
}
