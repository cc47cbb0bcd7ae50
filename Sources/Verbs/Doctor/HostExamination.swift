internal import CredentialCore
internal import Helper
internal import Providers

/// Checks of one host: the accounts, the connection, its clock, and whether it accepts the stored tokens.
struct HostExamination {
    let context: SignInContext
    /// Everything outside, with the keyring or the memory in which the accounts are looked up.
    let dependencies: Dependencies
    let store: MachineExamination.AccountStore
    /// Keeps its connection to the host between the requests.
    let transport: any Transport
    let triesClient: Bool
    /// The words for an error of the keyring in use.
    let words: (KeyringError) -> UserFacingError
    /// The uptime in milliseconds at which no further request is sent.
    let end: Int64

    /// The difference of clocks, in seconds, that does not falsify a token's expiry.
    private static let tolerance: Int64 = 60
    private static let mostAccounts = 8

    private var host: SignInHost { context.host }
    private var name: DisplayText { host.displayName }
    private var isLate: Bool { dependencies.clock.uptimeMilliseconds >= end }

    /// - Returns: whether somebody is signed in, or `nil` if unknown.
    func examine(_ tell: (Diagnosis) -> Void) -> Bool? {
        let (fault, date) = reach()
        if let fault {
            if !context.needsNoPerson { tell(clientID(at: nil)) }
            tell(fault)
            tell(Diagnosis(.clock, .skip, Message("did not compare the clock with %1$s", name)))
            tell(accountsNotAsked)
            return nil
        }
        tell(Diagnosis(.network, .ok, Message("%1$s is reachable, and its certificate is trusted", name)))
        tell(clock(date))
        if let app = context.settings.app {
            let found = examine(app, tell)
            tell(found)
            return found.result == .fail ? nil : true
        }
        var server: SignInServer?
        do {
            server = try context.server(with: dependencies)
            // The issuer is known only if the server had to be discovered.
            if let issuer = server?.oauth.issuer {
                let text = DisplayText(untrusted: issuer.text.utf8)
                tell(Diagnosis(.issuer, .ok, Message("%1$s issues the tokens for %2$s", text, name)))
            }
        } catch {
            tell(Diagnosis(.issuer, .fail, error))
        }
        if !context.needsNoPerson { tell(clientID(at: server)) }
        let accounts = accounts(at: server)
        accounts.forEach { tell($0.diagnosis) }
        if accounts.contains(where: { $0.isSignedIn == true }) { return true }
        return accounts.contains { $0.isSignedIn == nil } ? nil : false
    }

    private var clientName: Message { .clientName(host.provider.clientForm) }

    private func clientID(at server: SignInServer?) -> Diagnosis {
        if let clientID = context.clientID {
            refusal(of: clientID, at: server)
                ?? Diagnosis(.clientID, .ok, Message("there is an %2$s for %1$s", name, clientName))
        } else if hasToken {
            Diagnosis(
                .clientID, .ok, Message("no %2$s is needed for %1$s: you sign in there with a token", name, clientName))
        } else {
            Diagnosis(
                .clientID, .fail,
                Message("there is no %2$s for %1$s, so you cannot sign in with the browser", name, clientName),
                [Message("register one:"), .command("git credential-gitspace setup \(name)")], code: .noClientID)
        }
    }

    /// Returns the finding if nobody can sign in with the client ID.
    private func refusal(of clientID: String, at server: SignInServer?) -> Diagnosis? {
        guard triesClient, let server, !isLate else { return nil }
        do throws(SignInError) {
            try server.client(id: clientID).tryOut(over: transport)
            return nil
        } catch {
            // A client ID may be for the browser alone.
            let isForBrowser = [.deviceFlowDisabled, .deviceFlowUnsupported].contains(error)
            guard !isForBrowser || context.settings.flow != .browser && server.oauth.authorization == nil,
                let words = UserFacingError.signIn(
                    error, host: name, at: context.party(server.oauth.token),
                    clientID: DisplayText(untrusted: clientID.utf8), form: host.provider.clientForm),
                words.code == .clientUnusable
            else { return nil }
            return Diagnosis(.clientID, .fail, words)
        }
    }

    /// Whether an unexpired token is stored; whether the host accepts it is part of the account's finding.
    private var hasToken: Bool {
        guard store != .unreadable, let stored = try? context.stored(with: dependencies) else { return false }
        return stored.contains { $0.credential.condition(at: dependencies.clock.now).isValid }
    }

    // MARK: Connection

    /// Sends a small request that needs no token; any answer will do.
    ///
    /// - Returns: why the host was not reached, or the time by its clock, if it sent one.
    private func reach() -> (fault: Diagnosis?, date: Int64?) {
        var date: Int64?
        for address in host.provider.reachAddresses {
            guard !isLate else {
                return (Diagnosis(.network, .skip, Message("did not check %1$s: it took too long", name)), nil)
            }
            let before = dependencies.clock.now
            let server = DisplayText(trusted: address.authority)
            do throws(TransportError) {
                let response = try transport.send(HTTPRequest(.get, address))
                guard response.status < 500 else {
                    let text = Message("%1$s returned a server error (status %2$s)", server, response.status)
                    return (Diagnosis(.network, .fail, text, [Message("try again in a few minutes")]), nil)
                }
                // The time of the request is not a clock difference.
                let halfway = (dependencies.clock.now - before) / 2
                date = response.header("date").flatMap(HTTPDate.parse).map { $0 + halfway }
            } catch .tooLarge {
                // A page above our size limit did arrive, over a verified connection.
                continue
            } catch {
                return (Diagnosis(Self.check(error), .fail, error.words(host: server)), nil)
            }
        }
        return (nil, date)
    }

    private static func check(_ error: TransportError) -> Diagnosis.Check {
        switch error {
        case .proxy, .proxySignIn: .proxy
        case .untrusted, .untrustedBy, .clientCertificate: .certificate
        case .outsideValidity(isExpired: false): .clock
        case .outsideValidity: .certificate
        default: .network
        }
    }

    private func clock(_ date: Int64?) -> Diagnosis {
        guard let date else { return Diagnosis(.clock, .skip, Message("%1$s did not send its time", name)) }
        let ahead = dependencies.clock.now - date
        guard abs(ahead) > Self.tolerance else {
            return Diagnosis(.clock, .ok, Message("this machine's clock matches %1$s", name))
        }
        return Diagnosis(.clock, .fail, InstallationFailure.clock(ahead: ahead).words(host: name))
    }

    // MARK: An app

    /// Checks whether the key signs, the host knows the app, and the app may read and push for its owners.
    private func examine(_ settings: SignInSettings.AppSettings, _ tell: (Diagnosis) -> Void) -> Diagnosis {
        do throws(InstallationFailure) {
            let app = try context.gitHubApp(settings, with: dependencies)
            try app.verify()
            let id = DisplayText(untrusted: app.id.utf8)
            tell(Diagnosis(.app, .ok, Message("%1$s knows the app %2$s by its private key", name, id)))
            let installation = try app.installation(for: nil)
            let owner = DisplayText(untrusted: installation.owner.utf8)
            guard !installation.isSuspended else { throw .suspended(owner: owner) }
            // The app's permission for the contents of the owner's repositories.
            switch installation.permissions["contents"] {
            case "write": return installed(for: [owner])
            case "read":
                return Diagnosis(
                    .app, .warn, Message("the app may read, but not push to the repositories of %1$s", owner),
                    [Message("to push, give it the permission Contents: write on the app's settings page")])
            default:
                return Diagnosis(
                    .app, .fail, Message("the app may not read the repositories of %1$s", owner),
                    [Message("give it the permission Contents on the app's settings page")])
            }
        } catch .several(let owners) where isToldPaths {
            return installed(for: owners)
        } catch {
            return Diagnosis(.app, .fail, error.words(host: name))
        }
    }

    /// Whether git sends the path of a repository, by which the app finds its owner.
    private var isToldPaths: Bool {
        context.configuration.value("credential", "useHttpPath").map { !Interactivity.isFalse($0) } ?? false
    }

    private func installed(for owners: [DisplayText]) -> Diagnosis {
        Diagnosis(.app, .ok, Message("the app is installed for %1$s", owners.joined(separator: ", ")))
    }

    // MARK: Accounts

    private typealias AccountLine = (diagnosis: Diagnosis, isSignedIn: Bool?)

    private var accountsNotAsked: Diagnosis {
        Diagnosis(.account, .skip, Message("did not check the accounts on %1$s", name))
    }

    private var onlyKeyringKnows: Diagnosis {
        Diagnosis(.account, .skip, Message("cannot tell who is signed in to %1$s without the keyring", name))
    }

    private func accounts(at server: SignInServer?) -> [AccountLine] {
        guard store != .unreadable else { return [(onlyKeyringKnows, nil)] }
        do throws(KeyringError) {
            let stored = try Lookup(with: dependencies).all(context.query(path: nil))
            guard stored.isEmpty else {
                return stored.prefix(Self.mostAccounts).map { line(about: $0, at: server) }
                    + [configuredAccount(besides: stored)].compactMap(\.self).map { ($0, nil) }
            }
            guard store != .memory(isAll: false) else { return [(onlyKeyringKnows, nil)] }
            let nobody = Diagnosis(
                .account, .skip, Message("no account is signed in to %1$s", name),
                [Message("sign in with:"), .command("git credential-gitspace setup \(word: name)")])
            return [(nobody, false)]
        } catch .locked {
            // Items may be locked in an open keyring: KeePassXC asks a person about each one.
            let text = Message("the keyring asks for confirmation before it releases a token for %1$s", name)
            return [(Diagnosis(.account, .skip, text), nil)]
        } catch {
            let words = words(error)
            let text = Message("cannot tell who is signed in to %1$s: %2$s", name, words.text)
            return [(Diagnosis(.account, .fail, text, words.hints), nil)]
        }
    }

    /// The finding for an account that git asks for, but that is not stored.
    private func configuredAccount(besides stored: [StoredMatch]) -> Diagnosis? {
        guard let entries = try? dependencies.configuration(),
            let asked = ConfiguredUsername(entries, for: host.name).name, !asked.isEmpty, let first = stored.first,
            !stored.contains(where: {
                context.credentialContext.isSameAccount($0.credential.username, Array(asked.utf8))
            })
        else { return nil }
        let other = DisplayText(account: first.credential.username)
        return Diagnosis(
            .account, .warn,
            Message(
                "git's configuration names %1$s for %2$s, but %3$s is signed in", DisplayText(account: asked.utf8),
                name, other),
            [
                Message("have git use %1$s:", other),
                .command("git credential-gitspace switch \(word: name) \(word: other)"),
            ], code: .otherAccount)
    }

    /// git has stored the token as a name, from `https://TOKEN@HOST/`.
    private func tokenAsName(_ match: StoredMatch) -> Diagnosis {
        let page = host.provider.page(revoking: Secret(match.credential.username))?.address
        return Diagnosis(
            .account, .fail,
            Message("a token is stored as an account name for %1$s, which other programs can read", name),
            [Message("remove it:"), .command("git credential-gitspace logout \(word: name)")]
                + (page.map { [Message("revoke it, and create another:"), .command("\($0)")] } ?? []))
    }

    private func line(about match: StoredMatch, at server: SignInServer?) -> AccountLine {
        var account = context.account(match, asking: .nothing, with: dependencies)
        guard account.username != .token else { return (tokenAsName(match), false) }
        if account.state == .unknown {
            guard !isLate else { return (accountsNotAsked, nil) }
            account = context.account(match, at: server, with: dependencies)
        }
        let (who, judge) = (account.username, account.issuer ?? name)
        let hints = account.signInAgain?.remedy(name) ?? []
        var diagnosis: Diagnosis =
            switch account.state {
            case .notFound:
                Diagnosis(.account, .fail, Message("the keyring has lost the token of %1$s for %2$s", who, name), hints)
            case .expired where account.isRefreshable:
                Diagnosis(
                    .account, .ok,
                    Message("the token of %1$s for %2$s has expired and is refreshed when needed", who, name))
            case .expired:
                Diagnosis(.account, .fail, Message("the token of %1$s for %2$s has expired", who, name), hints)
            case .authorized: Diagnosis(.account, .ok, Message("%1$s accepts the token of %2$s", judge, who))
            case .otherAccount:
                Diagnosis(.account, account.isUnclaimed ? .warn : .fail, .storedOfAnother(account, host: name))
            case .revoked: Diagnosis(.account, .fail, Message("%1$s rejected the token of %2$s", judge, who), hints)
            case .unknown:
                Diagnosis(.account, .skip, Message("could not check the token of %2$s with %1$s", judge, who))
            }
        (diagnosis.username, diagnosis.state) = (account.username, account.state)
        return (diagnosis, account.isSignedIn)
    }
}
