internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// `setup` for a host without a device flow: git asks this program there, and the person's token is stored.
struct SetupTokenHost {
    private let context: TokenHostContext
    private let options: Setup.Options
    private let outside: Setup.Outside

    /// How often a token that the host rejects can be corrected.
    private static let mostAttempts = 3

    init(_ context: TokenHostContext, _ options: Setup.Options, with outside: Setup.Outside) {
        self.context = context
        self.options = options
        self.outside = outside
    }

    /// Stores a token, unless there is one that the host accepts.
    func run(_ tell: (SetupSignIn.Report) -> Void) throws(Setup.Failure) {
        let host = context.displayName
        if options.withToken { return try keep(.token(host: host), attempts: 1, tell) }
        if try isStored(tell) { return }
        guard !options.isUnattended, SetupSignIn.canAsk(with: outside) else {
            throw .failed(.tokenNeeded(host: host, page: context.host.page))
        }
        // Checked first, so that nobody has to paste the token twice.
        guard context.host.kind != .other || context.username != nil else {
            throw .failed(.tokenNeedsAccount(host: host))
        }
        tell(.tokenPage(context.host.page))
        if let permissions = context.host.permissions { tell(.tokenPermissions(permissions)) }
        if let page = context.host.page, outside.questions.open(page) { tell(.registration(.pageOpens)) }
        try keep(.pastedToken(host: host), attempts: Self.mostAttempts, tell)
    }

    private func isStored(_ tell: (SetupSignIn.Report) -> Void) throws(Setup.Failure) -> Bool {
        let dependencies = outside.dependencies()
        let found: StoredMatch?
        do {
            found = try Lookup(with: dependencies).best(context.context.query(user: context.username)) { true }
        } catch {
            throw error == .interrupted ? .cancelled : .failed(.keyring(error))
        }
        guard let credential = found?.credential, credential.isAlive(at: dependencies.clock.now) else { return false }
        let (account, host) = (DisplayText(credential.username), context.displayName)
        let answer = context.host.account(of: credential.password, over: dependencies.transport(context.transport))
        switch TokenStanding(answer ?? .unknown, about: credential, anyUsername: nil) {
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

    private func keep(
        _ question: Question, attempts: Int, _ tell: (SetupSignIn.Report) -> Void
    ) throws(Setup.Failure) {
        let dependencies = outside.dependencies()
        for attempt in 1...attempts {
            let report: Login.Report?
            do throws(UserFacingError) {
                report = try TokenHostLogin(context, outside.questions, with: dependencies).run(asking: question)
            } catch {
                guard SetupSignIn.isWorthAnotherToken(error), attempt < attempts else { throw .failed(error) }
                dependencies.report(error)
                continue
            }
            guard let report else { throw .cancelled }
            return tell(.login(report))
        }
    }
}
