package import CredentialCore
internal import ShareClient

/// What git starts: ① reads the request, ② determines its host, ③ asks the keyring, ⑦ answers, or steps aside.
///
/// It answers only where there is nothing to decide: the items are unlocked, and the first is valid for a while. The
/// full program handles everything else, so stepping aside is always correct. It never prompts, unlocks or writes.
///
/// Where there is no keyring, it asks the machine that has one, if that shares its sign-in (`Shares`).
package struct FrontDoor {
    /// Looks up the unlocked items that have certain attributes.
    package typealias Search = (ItemAttributes) -> SearchResult

    /// The result of a lookup in the keyring.
    package enum SearchResult {
        case items([Item])
        /// There is no keyring.
        case absent
        /// There is another reason to step aside.
        case unclear
    }

    /// The result of a request.
    package enum Outcome {
        /// The answer for git.
        case answer(Secret)
        /// git must not go on, and a person is told why.
        case refuse(Secret, because: String)
        /// The full program takes over. Without a keyring, it need not be installed at all: then a person gets this
        /// message, if it is not empty.
        case stepAside(withoutKeyring: String?)
    }

    private let environment: (String) -> String?
    private let now: Int64
    private let search: Search
    private let shares: any Shares
    private let hasRefusedTokens: () -> Bool
    private let configuration: () -> [ConfigurationEntry]?

    /// Creates a front door.
    ///
    /// - Parameters:
    ///   - environment: looks up a variable.
    ///   - now: seconds since 1970.
    ///   - search: the keyring.
    ///   - shares: the machines that share their sign-in.
    ///   - hasRefusedTokens: whether any token is recorded as rejected; called only before one is handed out.
    ///   - configuration: git's, read only after a miss; nil if git cannot be asked.
    package init(
        environment: @escaping (String) -> String?, now: Int64, search: @escaping Search, shares: any Shares,
        hasRefusedTokens: @escaping () -> Bool, configuration: @escaping () -> [ConfigurationEntry]?
    ) {
        self.environment = environment
        self.now = now
        self.search = search
        self.shares = shares
        self.hasRefusedTokens = hasRefusedTokens
        self.configuration = configuration
    }

    /// Does what git asks, or steps aside.
    package func outcome(_ operation: Operation, _ bytes: [UInt8]) -> Outcome {
        // For a bad request, or a keyring that is locked, slow or unusual, the full program has the error messages.
        guard let request = try? Request(parsing: bytes) else { return .stepAside(withoutKeyring: nil) }
        if operation == .store, request.carriesOurState { return Self.done(request) }
        guard let context = try? CredentialContext(of: request) else { return .stepAside(withoutKeyring: nil) }
        switch operation {
        case .get: return get(context, request)
        case .store: return store(context, request)
        case .erase: return erase(context, request)
        case .capability: return .stepAside(withoutKeyring: nil)
        }
    }

    private func get(_ context: CredentialContext, _ request: Request) -> Outcome {
        var failure = ShareFailure.noSocket
        if shares.isNamed {
            // Whoever names a socket wants its answer, whatever the keyring contains.
            switch shares.get(context, request, from: .named) {
            case .credential(let credential): return .answer(Answer.credential(credential).encoded(for: request))
            case .failure(let reason): failure = reason
            }
            if failure.endsSearch { return .refuse(Answer.quit.encoded(for: request), because: failure.line(context)) }
        }
        switch find(context, request, of: .get) {
        case .matches(let found): return answer(found, context, request)
        case .unclear: return .stepAside(withoutKeyring: nil)
        case .absent: break
        }
        switch shares.get(context, request, from: .usual) {
        case .credential(let credential): return .answer(Answer.credential(credential).encoded(for: request))
        case .failure(.noSocket): break
        case .failure(let reason): failure = reason
        }
        let line = failure.line(context)
        guard failure.endsSearch else { return .stepAside(withoutKeyring: line) }
        return .refuse(Answer.quit.encoded(for: request), because: line)
    }

    private func answer(_ found: [StoredMatch], _ context: CredentialContext, _ request: Request) -> Outcome {
        guard let credential = found.first?.credential else { return miss(context, request) }
        // The person has not chosen one of several accounts, and the server may say which one it wants.
        guard found.count == 1 || request.username != nil || !request.mayHintAtAccount,
            credential.isFresh(at: now, margin: SignInSettings.minValidity(environment: environment)),
            credential.isSound, request.isAnswered(by: credential), !hasRefusedTokens()
        else { return .stepAside(withoutKeyring: nil) }
        return .answer(credential.answer.encoded(for: request))
    }

    /// For an unknown host, the helper is a plain store, and it contains nothing.
    private func miss(_ context: CredentialContext, _ request: Request) -> Outcome {
        guard context.builtIn == nil, let entries = configuration() else { return .stepAside(withoutKeyring: nil) }
        let settings = SignInSettings(
            Configuration(entries, for: context.host, path: context.path ?? []), host: context.host,
            environment: environment)
        // Only the full program knows what the name of a provider means, and whether it is valid.
        let isPlainStore = !settings.namesProvider && settings.store != .cache
        return isPlainStore ? Self.done(request) : .stepAside(withoutKeyring: nil)
    }

    /// git stores what it has just received: then there is nothing to do, and mostly nothing to look up.
    private func store(_ context: CredentialContext, _ request: Request) -> Outcome {
        if shares.isNamed, comesFromShare(context, request, .named) { return Self.done(request) }
        guard request.username != nil else { return .stepAside(withoutKeyring: nil) }
        switch find(context, request, of: .store) {
        case .matches(let found):
            let isNeedless = found.first?.credential.makesNeedless(request) == true
            return isNeedless ? Self.done(request) : .stepAside(withoutKeyring: nil)
        case .absent:
            return comesFromShare(context, request, .usual) ? Self.done(request) : .stepAside(withoutKeyring: "")
        case .unclear: return .stepAside(withoutKeyring: nil)
        }
    }

    /// Whether a credential comes from another machine, which keeps it: git before 2.46 does not say so.
    ///
    /// Only a helper knows when a password expires; a person who types one at git's prompt does not. git before 2.40
    /// drops the expiry time: then the other machine is asked once more.
    private func comesFromShare(
        _ context: CredentialContext, _ request: Request, _ source: ShareClient.Source
    ) -> Bool {
        guard ASCII.equalsIgnoringCase(request.protocol, "https"), shares.isThere(source) else { return false }
        return request.passwordExpiryUTC != nil || shares.handsOut(context, request, from: source)
    }

    /// Leaves the removal of a rejected credential to the full program, and reports it to the machine that shared it.
    private func erase(_ context: CredentialContext, _ request: Request) -> Outcome {
        guard request.password != nil else { return .stepAside(withoutKeyring: nil) }
        if shares.isNamed { shares.reject(context, request, from: .named) }
        guard case .absent = find(context, request, of: .erase) else { return .stepAside(withoutKeyring: nil) }
        shares.reject(context, request, from: .usual)
        return .stepAside(withoutKeyring: "")
    }

    private static func done(_ request: Request) -> Outcome { .answer(Answer.nothing.encoded(for: request)) }

    private enum Found {
        /// The credentials that match the request, best first.
        case matches([StoredMatch])
        case absent
        /// A single lookup cannot decide it.
        case unclear
    }

    private func find(_ context: CredentialContext, _ request: Request, of operation: Operation) -> Found {
        var query = context.query(user: request.username)
        query.isForPasswordsAlone = operation == .get && !request.capabilities.contains(.authtype)
        switch search(query.search) {
        case .absent: return .absent
        case .unclear: return .unclear
        case .items(let items):
            let items = query.matching(items)
            let found = items.compactMap(StoredMatch.init)
            // An item that is locked or unreadable may be the best match.
            return found.count == items.count ? .matches(found.ranked(for: query, at: now)) : .unclear
        }
    }
}
