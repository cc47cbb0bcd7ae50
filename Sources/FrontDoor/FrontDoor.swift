package import CredentialCore

/// What git starts: ① reads the request, ② determines its host, ③ asks the keyring, ⑦ answers, or steps aside.
///
/// It answers only where there is nothing to decide: the items are unlocked, and the first is valid for a while. The
/// full program handles everything else, so stepping aside is always correct. It never prompts, unlocks or writes.
package struct FrontDoor {
    /// A search in the keyring; nil if there is a reason to step aside.
    package typealias Search = (ItemAttributes) -> [Item]?

    private let environment: (String) -> String?
    private let now: Int64
    private let search: Search
    private let hasRefusedTokens: () -> Bool
    private let hasMemory: () -> Bool
    private let configuration: () -> [ConfigurationEntry]?

    /// `now` is in seconds since 1970.
    ///
    /// `hasRefusedTokens` is called only before a token is handed out. After a miss, `hasMemory` tells whether there may be
    /// something in git's in-memory cache; only if not, the configuration is read, nil if git cannot be asked.
    package init(
        environment: @escaping (String) -> String?, now: Int64, search: @escaping Search,
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

    /// Nil if the full program takes over.
    package func answer(_ operation: Operation, _ text: Secret) -> Secret? {
        // For a bad request, or a keyring that is locked, slow or unusual, the full program has the error messages.
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
        // The person has not chosen one of several accounts, and the server may say which one it wants.
        guard found.count == 1 || request.username != nil || !request.mayHintAtAccount,
            case .fresh = credential.condition(
                at: now, margin: SignInSettings.minValidity(environment: environment), asToken: true),
            request.isAnswered(by: credential), !hasRefusedTokens()
        else { return nil }
        return credential.answer.encoded(for: request)
    }

    /// For an unknown host, the helper is a plain store, and it contains nothing.
    private func miss(_ context: CredentialContext, _ request: Request) -> Secret? {
        guard context.signInHost == nil, !hasMemory(), let entries = configuration(),
            let settings = try? SignInSettings(
                Configuration(entries, for: context.host, path: context.path ?? []), host: context.host,
                environment: environment)
        else { return nil }
        // Only the full program knows what the name of a provider means, and whether it is valid.
        // A keyring of another name than the default one may be locked, and hide what it contains.
        let isPlainStore = !settings.namesProvider && settings.store != .cache && settings.collection == nil
        return isPlainStore ? Self.done(request) : nil
    }

    /// git stores what it has just received: then there is nothing to do, and mostly nothing to look up.
    private func store(_ context: CredentialContext, _ request: Request) -> Secret? {
        guard request.username != nil, let found = find(context, request, of: .store),
            found.first?.credential.alreadyCovers(request) == true
        else { return nil }
        return Self.done(request)
    }

    private static func done(_ request: Request) -> Secret { Answer.nothing.encoded(for: request) }

    /// Best first; nil if a single lookup cannot decide it.
    private func find(
        _ context: CredentialContext, _ request: Request, of operation: Operation
    ) -> [StoredMatch]? {
        var query = context.query(user: request.username)
        query.isForPasswordsAlone = operation == .get && !request.capabilities.contains(.authtype)
        query.fallsBackToPaths = operation == .get
        guard var items = search(query.exactSearch).map(query.matching) else { return nil }
        if items.isEmpty, query.ignoresCase, request.username != nil {
            guard let others = search(query.search).map(query.matching) else { return nil }
            items = others
        }
        let found = items.compactMap(StoredMatch.init)
        // An item that is locked or unreadable may be the best match.
        return found.count == items.count ? found.ranked(for: query, at: now) : nil
    }
}
