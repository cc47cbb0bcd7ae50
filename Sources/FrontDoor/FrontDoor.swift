package import CredentialCore

/// The program that git starts: ① reads the request, ② determines its host, ③ asks the keyring, ⑦ answers or steps
/// aside.
///
/// The front door answers only if there is nothing to decide, and never prompts, unlocks or writes. The full program
/// handles everything, so stepping aside is always correct.
package struct FrontDoor {
    private let environment: (String) -> String?
    private let now: Int64
    private let search: (ItemAttributes) -> [Item]?
    private let hasRefusedTokens: () -> Bool
    private let hasMemory: () -> Bool
    private let configuration: () -> [ConfigurationEntry]?

    /// `now` is in seconds since 1970.
    ///
    /// `search` searches the keyring, and returns `nil` to step aside. `hasRefusedTokens` is called only before a token is
    /// returned. After a miss, `hasMemory` returns whether git's in-memory cache may hold something, and `configuration`
    /// git's configuration, or `nil` if git fails.
    package init(
        environment: @escaping (String) -> String?, now: Int64, search: @escaping (ItemAttributes) -> [Item]?,
        hasRefusedTokens: @escaping () -> Bool, hasMemory: @escaping () -> Bool,
        configuration: @escaping () -> [ConfigurationEntry]?
    ) {
        self.environment = environment
        self.now = now
        self.search = search
        self.hasRefusedTokens = hasRefusedTokens
        self.hasMemory = hasMemory
        self.configuration = configuration
    }

    /// Returns `nil` if the full program has to answer.
    package func answer(_ operation: Operation, _ text: Secret) -> Secret? {
        // The full program has the messages for a bad request and for a locked, slow or unusual keyring.
        guard let request = try? Request(parsing: text) else { return nil }
        if operation == .store, request.carriesOurState { return Self.done(request) }
        guard let context = try? CredentialContext(of: request) else { return nil }
        switch operation {
        case .get: return get(context, request)
        case .store: return store(context, request)
        case .erase, .capability: return nil
        }
    }

    private func get(_ context: CredentialContext, _ request: Request) -> Secret? {
        guard let found = find(context, request, of: .get) else { return nil }
        guard let credential = found.first?.credential else { return miss(context, request) }
        // The server may name one of several accounts if the person has not chosen one.
        guard found.count == 1 || request.username != nil || !request.mayHintAtAccount,
            case .fresh = credential.condition(
                at: now, margin: SignInSettings.minValidity(environment: environment), asToken: true),
            request.isAnswered(by: credential), !hasRefusedTokens()
        else { return nil }
        return credential.answer.encoded(for: request)
    }

    /// Answers that a plain store has no credential.
    private func miss(_ context: CredentialContext, _ request: Request) -> Secret? {
        guard context.signInHost == nil, !hasMemory(), let entries = configuration(),
            let settings = try? SignInSettings(
                Configuration(entries, for: context.host, path: context.path ?? []), host: context.host,
                environment: environment)
        else { return nil }
        // Only the full program knows the names of providers. A collection other than the default may be locked, and
        // hide items.
        let isPlainStore = !settings.namesProvider && settings.store != .cache && settings.collection == nil
        return isPlainStore ? Self.done(request) : nil
    }

    /// Answers a `store` of a credential that is already stored.
    private func store(_ context: CredentialContext, _ request: Request) -> Secret? {
        guard request.username != nil, let found = find(context, request, of: .store),
            found.first?.credential.alreadyCovers(request) == true
        else { return nil }
        return Self.done(request)
    }

    private static func done(_ request: Request) -> Secret { Answer.nothing.encoded(for: request) }

    /// The matches, best first, or `nil` if the full program has to decide.
    private func find(_ context: CredentialContext, _ request: Request, of operation: Operation) -> [StoredMatch]? {
        var query = context.query(user: request.username)
        query.isForPasswordsAlone = operation == .get && !request.capabilities.contains(.authtype)
        query.fallsBackToPaths = operation == .get
        guard var items = search(query.exactSearch).map(query.matching) else { return nil }
        if items.isEmpty, query.ignoresCase, request.username != nil {
            guard let others = search(query.search).map(query.matching) else { return nil }
            items = others
        }
        let found = items.compactMap(StoredMatch.init)
        // A locked or unreadable item may be the best match.
        return found.count == items.count ? found.ranked(for: query, at: now) : nil
    }
}
