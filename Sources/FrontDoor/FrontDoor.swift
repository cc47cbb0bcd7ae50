package import CredentialCore

/// What git spawns: ① reads the request, ② sees whose host it is, ③ asks the keyring, ⑦ answers, or steps aside.
///
/// It answers only where there is nothing to decide: items that are unlocked, the first of them good for a while. Anything else is the full
/// program's, so stepping aside is always right. It never prompts, never unlocks, never writes.
package struct FrontDoor {
    /// Looks up the unlocked items that have certain attributes; nil where there is a reason to step aside.
    package typealias Search = (ItemAttributes) -> [Item]?

    /// What comes of a request.
    package enum Outcome {
        /// git gets this.
        case answer(Secret)
        /// The full program takes over.
        case stepAside
    }

    private let environment: (String) -> String?
    private let now: Int64
    private let search: Search
    private let hasRefusedTokens: () -> Bool
    private let configuration: () -> [ConfigurationEntry]?

    /// A front door.
    ///
    /// - Parameters:
    ///   - environment: looks up a variable.
    ///   - now: seconds since 1970.
    ///   - search: the keyring.
    ///   - hasRefusedTokens: whether any token is remembered as refused; asked only before one is handed out.
    ///   - configuration: git's, asked only after a miss; nil if git cannot be asked.
    package init(
        environment: @escaping (String) -> String?, now: Int64, search: @escaping Search,
        hasRefusedTokens: @escaping () -> Bool, configuration: @escaping () -> [ConfigurationEntry]?
    ) {
        self.environment = environment
        self.now = now
        self.search = search
        self.hasRefusedTokens = hasRefusedTokens
        self.configuration = configuration
    }

    /// Does what git asks, or steps aside.
    package func outcome(_ operation: Operation, _ bytes: [UInt8]) -> Outcome {
        // A refused request, a keyring that is locked, slow, absent or strange: the full program has the words.
        guard let request = try? Request(parsing: bytes) else { return .stepAside }
        switch operation {
        case .get: return get(request)
        case .store: return store(request)
        case .erase, .capability: return .stepAside
        }
    }

    private func get(_ request: Request) -> Outcome {
        guard let context = try? CredentialContext(of: request), let found = find(context, request, of: .get) else {
            return .stepAside
        }
        guard let credential = found.first?.credential else { return miss(context, request) }
        // Nobody has chosen one of several accounts, and the server may say which of them it would like.
        guard found.count == 1 || request.username != nil || !request.mayHintAtAccount else { return .stepAside }
        guard credential.isFresh(at: now, margin: SignInSettings.minValidity(environment: environment)),
            credential.isSound, !hasRefusedTokens()
        else { return .stepAside }
        return .answer(credential.answer.encoded(for: request))
    }

    /// A host that nobody has made known is a plain store, and has nothing.
    private func miss(_ context: CredentialContext, _ request: Request) -> Outcome {
        guard context.builtIn == nil, let entries = configuration() else { return .stepAside }
        let settings = SignInSettings(
            Configuration(entries, for: context.host, path: context.path ?? []), host: context.host,
            environment: environment)
        // What a word for a provider means, and whether it is one, is the full program's to know.
        let isPlainStore = !settings.namesProvider && settings.store != .cache
        return isPlainStore ? .answer(Answer.nothing.encoded(for: request)) : .stepAside
    }

    /// git stores what it has just been given: then there is nothing to do, and mostly nothing to ask.
    private func store(_ request: Request) -> Outcome {
        let done = Outcome.answer(Answer.nothing.encoded(for: request))
        if request.carriesOurState { return done }
        guard request.username != nil, let context = try? CredentialContext(of: request),
            let found = find(context, request, of: .store), found.first?.credential.makesNeedless(request) == true
        else { return .stepAside }
        return done
    }

    /// The credentials that a request means, best first; nil where that takes more than a look.
    private func find(_ context: CredentialContext, _ request: Request, of operation: Operation) -> [StoredMatch]? {
        var query = context.query(user: request.username)
        query.isForPasswordsAlone = operation == .get && !request.capabilities.contains(.authtype)
        guard let items = search(query.search).map(query.matching) else { return nil }
        let found = items.compactMap(StoredMatch.init)
        // What is locked, or cannot be read, may be what counts before all else.
        return found.count == items.count ? found.ranked(for: query, at: now) : nil
    }
}
