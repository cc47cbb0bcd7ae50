internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Providers

/// The verb `status`: every account of the hosts with sign-ins, and the state of its token.
struct Status: Verb {
    static let configuration = CommandConfiguration(
        "status", Message("Show your accounts and the state of their tokens."),
        Message("Without arguments, it shows all accounts."),
        Message("Exits with 1 if no account is signed in. Tokens are never shown."),
        examples: ["status", "status github.com alice", "status --json"])

    @Argument(help: ArgumentHelp(Message("The host. Default: all of them.")))
    var host: String?

    @Argument(help: ArgumentHelp(Message("The account.")))
    var name: String?

    @Option(help: .hidden)
    var username: String?

    @Flag(help: ArgumentHelp(Message("Print a JSON array for programs.")))
    var json = false

    @Flag(help: ArgumentHelp(Message("Do not check the tokens with the servers.")))
    var offline = false

    func validate() throws { try typed.validate() }
    private var typed: AccountArguments { AccountArguments(host, name, username) }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let isForAll = typed.host == nil && typed.account == nil
        let (request, dependencies) =
            try isForAll
            ? outside.request("github.com", for: "status") : outside.request(typed, isStored: true, for: "status")
        // Without git's lines, only the reason for the default account is missing.
        var search = StatusSearch(
            dependencies: dependencies, lines: (try? outside.files.entries()) ?? [], isOffline: offline)
        try rethrowing(
            as: UserFacingError.init(whileLookingUp:),
            try isForAll ? search.lookEverywhere() : search.look(request))
        // A password of an unconfigured host is no sign-in, unless the person asks for that host.
        let accounts = search.hosts.flatMap(\.self)
        let isSignedIn = accounts.contains { $0.isSignIn || !isForAll && $0.isPlain }
        // Without the keyring, it is unknown who is signed in.
        if !isSignedIn, let absence = dependencies.keyring.absence {
            let known = (try? ContextResolver(with: dependencies).signInHosts)?.first?.host.displayName
            let host = accounts.first?.host ?? (absence.isSurelyEmpty ? known ?? "github.com" : nil)
            throw host.map { .keyringAbsent(absence, host: $0) } ?? .keyring(absence)
        }
        // An account that was not checked because of Ctrl-C would look unknown.
        guard !outside.isInterrupted() else { return .cancelled }
        if !json, let error = search.notStored { throw error }
        if json { outside.print(JSONText.array(accounts.map(\.json))) } else { outside.say(search.words) }
        return isSignedIn ? .done : .failed
    }
}

struct StatusSearch {
    let dependencies: Dependencies
    let lines: [OriginatedEntry]
    let isOffline: Bool

    /// The accounts of each host, with the one that git would use first.
    var hosts: [[StatusAccount]] = []
    /// The lines for hosts for which git does not ask us, or not first.
    var notAsked: [[Message]] = []
    var absentDefaults: [[Message]] = []
    /// The error if the named account is not stored although others are.
    var notStored: UserFacingError?
    /// The hosts to which git sends the token with its first request.
    var proactiveHosts: [DisplayText] = []

    var words: [Message] {
        let lockedKeyrings = dependencies.keyring.lockedCollections
        var blocks = notAsked
        blocks += hosts.map { accounts in
            accounts[0].account == nil
                ? StatusAccount.invitation(accounts[0].host)
                : [Message(verbatim: accounts[0].host)] + accounts.flatMap(\.words)
                    + (accounts.allSatisfy { $0.path != nil && $0.provider != nil }
                        ? [.blank] + StatusAccount.invitation(accounts[0].host) : [])
        }
        if hosts.isEmpty, lockedKeyrings.isEmpty { blocks.append(StatusAccount.invitation(nil)) }
        blocks += absentDefaults
        if !proactiveHosts.isEmpty {
            // The text is the same as in `doctor`.
            let hosts = proactiveHosts.joined(separator: ", ")
            blocks.append([Message("git sends your token with its first request to %1$s", hosts)])
        }
        blocks += inMemory
        if let share = dependencies.shareInstead { blocks.append([share]) }
        blocks += lockedKeyrings.map { [Message("The keyring %1$s is locked; accounts in it are not shown.", $0)] }
        return Array(blocks.joined(separator: [.blank]))
    }

    private var inMemory: [[Message]] {
        let hosts = hosts.flatMap(\.self).filter(\.isInMemory).map(\.host).unique
        guard !hosts.isEmpty, (try? dependencies.keyring.checkWritable(mayPrompt: false)) != nil,
            dependencies.keyring.storage == .keyring
        else { return [] }
        return [[Message("There is a keyring now. To move the tokens in memory to it:")] + hosts.map { .login($0) }]
    }

    mutating func look(_ request: Request) throws {
        let resolver = ContextResolver(with: dependencies)
        let asked = try resolver.credentialContext(of: request)
        let signIn =
            asked.protocol == CredentialContext.https
            ? try resolver.signInContext(of: asked.host, path: asked.path, withoutClient: true) : nil
        let context = signIn?.credentialContext ?? asked
        let absent = try look(context, signIn, user: request.username)
        if hosts.isEmpty { hosts = [[StatusAccount(host: context.host.shown, provider: signIn?.host.providerID)]] }
        absentDefaults += absent
    }

    mutating func lookEverywhere() throws {
        let (items, reason) = try Lookup(with: dependencies).unlocked(
            ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)]))
        let resolver = ContextResolver(with: dependencies)
        let inMemory = try resolver.itemsInMemory(of: dependencies.keyring)
        let hosts = Set((items + inMemory).filter { $0.attributes.user != nil }.compactMap(\.attributes.hostName))
        var seen: Set<HostName> = []
        for host in hosts.sorted(by: { $0.text.lexicographicallyPrecedes($1.text) }) {
            let signIn = try resolver.signInContext(of: host, withoutClient: true)
            guard seen.insert(signIn?.host.name ?? host).inserted else { continue }
            let context =
                try signIn.map { CredentialContext($0.host, path: nil) }
                ?? CredentialContext(protocol: CredentialContext.https, host: host)
            let before = self.hosts.count
            // A person who closed a prompt is not asked again for each host.
            let absent = try look(context, signIn, mayUnlock: reason == nil)
            if self.hosts.count > before { absentDefaults += absent }
        }
        if self.hosts.isEmpty, let reason { throw reason }
    }

    /// - Returns: the lines about configured accounts for remotes without one that are not stored.
    private mutating func look(
        _ context: CredentialContext, _ signIn: SignInContext?, user: [UInt8]? = nil, mayUnlock: Bool = true
    ) throws(KeyringError) -> [[Message]] {
        let (stored, _, reason) = try Lookup(with: dependencies).readable(context.everything(user: nil)) { _, _ in
            !mayUnlock
        }
        // git gets the first of an account's items with several schemas.
        let all = stored.reduce(into: [StoredMatch]()) { all, match in
            let isTwin = all.contains {
                $0.item.attributes == match.item.attributes && $0.item.schemaName != match.item.schemaName
            }
            if !isTwin { all.append(match) }
        }
        let host = context.host.shown
        let configured = ConfiguredUsername(lines, for: context.host)
        let chosen = DefaultAccount(of: all, at: context, lines)
        let names = context.usernames(of: all)
        func isAccount(_ name: [UInt8]?, _ match: StoredMatch) -> Bool {
            name.map { context.isSameAccount($0, match.credential.username) } ?? false
        }
        let found = all.filter { user == nil || isAccount(user, $0) }.map { match in
            var account = account(match, host, signIn)
            account.isOnly = names.count == 1
            if isAccount(chosen?.username, match) { account.defaultBecause = chosen?.reason }
            account.parts = configured.exceptions.filter { isAccount(Array($0.entry.effectiveValue.utf8), match) }
            return account
        }
        if let user, found.isEmpty, !all.isEmpty {
            notStored = .accountNotStored(
                context.shown(user), host: host, stored: names.map { DisplayText(account: $0) }, verb: "status")
        }
        if !found.isEmpty { hosts.append(found) }
        if !found.isEmpty, lines.sendTokenAtOnce(to: context.host) { proactiveHosts.append(host) }
        let helpers = CredentialHelpers(lines, for: context.host)
        if signIn != nil, !found.isEmpty || helpers.inFront != nil, let advice = helpers.advice(host) {
            notAsked.append(advice)
        }
        func isAbsent(_ name: [UInt8]) -> Bool { !all.contains { isAccount(name, $0) } }
        func absence(_ text: Message, _ line: OriginatedEntry, _ hints: [Message] = []) -> [Message] {
            let lines = [text, Message("Set by %1$s in %2$s", line.shownKey, line.shownOrigin)] + hints
            return [Message(verbatim: host)] + lines.map(Message.indented)
        }
        let absent = configured.exceptions.filter { isAbsent(Array($0.entry.effectiveValue.utf8)) }.map { line in
            absence(Message("Account for a part of the host: %1$s, which is not signed in", line.shownValue), line)
        }
        guard let line = configured.line, let chosen, isAbsent(chosen.username) else {
            if found.isEmpty, let reason { throw reason }
            return all.isEmpty ? [] : absent
        }
        let name: any MessageArgument = context.shown(chosen.username) ?? Message("a name that no account can have")
        let command: DisplayText = "git credential-gitspace switch \(word: host)"
        let text = Message("Default account: %1$s, which is not signed in", name)
        return absent + [absence(text, line, [Message("To choose another: %1$s", Verbatim(command))])]
    }

    private func account(_ match: StoredMatch, _ host: DisplayText, _ signIn: SignInContext?) -> StatusAccount {
        let now = dependencies.clock.now
        let account =
            signIn?.account(match, asking: isOffline ? .nothing : .everything, with: dependencies)
            ?? Account(match, at: now)
        let server = account.issuer ?? host
        let notChecked =
            isOffline
            ? Message(verbatim: "--offline")
            : account.failure?.words(host: server).text
                ?? Message("%1$s did not say whether the token is valid", server)
        return StatusAccount(
            host: host, provider: signIn?.host.providerID, account: account,
            notChecked: account.state == .unknown && signIn != nil ? notChecked : nil,
            expiresAt: account.credential.ownExpiry ?? account.details?.expiresIn.map { now + $0 })
    }
}

/// An account, or a host without any, for people and for programs.
struct StatusAccount {
    let host: DisplayText
    /// `nil` for a plain store.
    let provider: ProviderID?
    var account: Account?
    /// The reason why the token was not checked, as the end of a sentence.
    var notChecked: Message?
    /// Seconds since 1970, or `nil` for never or unknown.
    var expiresAt: Int64?
    /// The reason why git uses the account for remotes without one, or `nil` if git does not.
    var defaultBecause: DefaultAccount.Reason?
    /// The lines by which git uses the account for a part of the host, such as one owner's repositories.
    var parts: [OriginatedEntry] = []
    /// Whether the host has no other account, so that a command need not name this one.
    var isOnly = true

    /// A path's token is for that path alone, and is no sign-in.
    var isSignIn: Bool { provider != nil && path == nil && account?.isSignedIn == true }
    var isPlain: Bool { provider == nil && account.map { $0.state != .notFound } == true }
    var state: Account.State { account?.state ?? .notFound }
    var grant: StoredCredential.Grant? { account?.credential.grant }
    var storage: CredentialStorage? { account?.match.item.storage }

    /// `nil` for the whole host.
    var path: DisplayText? {
        // An app's path is its owner, or one of their repositories.
        guard installation == nil else { return nil }
        return account?.match.item.attributes.object.map { DisplayText(untrusted: $0) }
    }

    /// `nil` for a person's account.
    var installation: DisplayText? { grant?.installation.map { DisplayText(untrusted: $0.utf8) } }
}
