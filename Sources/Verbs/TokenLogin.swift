internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// Signs in with a token that the person has created, after the host has told whose it is.
struct TokenLogin {
    private let context: SignInContext
    private let questions: any Questions
    private let dependencies: Dependencies

    init(_ context: SignInContext, _ questions: any Questions, with dependencies: Dependencies) {
        self.context = context
        self.questions = questions
        self.dependencies = dependencies
    }

    /// Reads the token, asks the host, and saves, replacing whatever is stored for the account, as the person wants.
    ///
    /// - Parameter question: how it is asked for; nil for the usual way.
    /// - Returns: whose it is; nil if the person cancels.
    /// - Throws: why it is not stored.
    func run(asking question: Question? = nil) throws(UserFacingError) -> [UInt8]? {
        let question = question ?? .token(host: context.host.displayName)
        guard case .secret(let token) = questions.askSecret(question) else { return nil }
        let isTyped = questions.areSecretsTyped || question == .pastedToken(host: context.host.displayName)
        guard !token.isEmpty else {
            throw .noToken(host: context.host.displayName, page: newToken, verb: "login", isTyped: isTyped)
        }
        guard token.isToken else { throw .malformedToken }
        let username = try account(of: token)
        try keep(token, as: username)
        return username
    }

    /// Saves a token after the host has told whose it is.
    func keep(_ token: Secret, as username: [UInt8]) throws(UserFacingError) {
        let now = dependencies.clock.now
        var credential = StoredCredential(
            username: username, password: token, grant: StoredCredential.Grant(clientID: nil, since: now))
        credential.authtype = context.authtype
        if let error = dependencies.signals.whileSignalsWait({
            Save(with: dependencies).run(signIn: credential, of: context.credentialContext)
        }) {
            throw error
        }
    }

    private var newToken: HTTPSAddress? { context.host.provider.page(.newToken, on: context.host) }

    private func account(of token: Secret) throws(UserFacingError) -> [UInt8] {
        let host = context.host
        let transport = dependencies.transport(context.transport)
        let answer = host.provider.account(of: token, on: host, over: transport)
        if let name = answer.username(asked: context.username) { return name }
        if let asked = context.username, let owner = answer.owner {
            throw .tokenOfAnother(asked: DisplayText(asked), owner: owner)
        }
        switch answer {
        case .rejected: throw .tokenRefused(host: host.displayName, page: newToken)
        case .accepted, .unknown, .interrupted: throw .tokenNotVerified(host: host.displayName)
        }
    }
}
