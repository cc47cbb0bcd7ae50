internal import CredentialCore
internal import Helper
internal import Providers

/// One host: who signs in there, whether it can be reached, what its clock says, and if it accepts the stored tokens.
struct HostExamination {
    private let context: SignInContext
    private let dependencies: Dependencies
    private let store: KeyringExamination.AccountStore
    private let end: Int64
    private let transport: any Transport

    /// Seconds by which clocks may differ before a token's expiry is misjudged.
    private static let tolerance: Int64 = 60
    private static let mostAccounts = 8

    init(
        _ context: SignInContext, with dependencies: Dependencies, accountsIn store: KeyringExamination.AccountStore,
        memory: any Keyring, until end: Int64
    ) {
        self.context = context
        self.store = store
        var dependencies = dependencies
        if case .memory = store { dependencies.keyring = memory }
        self.dependencies = dependencies
        self.end = end
        transport = dependencies.transport(context.transport)
    }

    private var host: SignInHost { context.host }

    /// Looks at it.
    ///
    /// - Returns: whether somebody is signed in; nil if unknown.
    func examine(report: (Diagnosis) -> Void) -> Bool? {
        if !context.needsNoPerson { report(clientID) }
        switch reach() {
        case .failure(let fault):
            report(fault)
            report(found(.clock, .skip, .clockNotCompared))
            report(found(.account, .skip, .accountsNotAsked))
            return nil
        case .success(let date):
            report(found(.network, .ok, .reachable))
            report(clock(date))
            if let app = context.settings.app {
                examine(app, report: report)
                return true
            }
            let server = server(report)
            let accounts = accounts(at: server)
            accounts.forEach(report)
            return Self.isSignedIn(accounts)
        }
    }

    /// Whether the key signs, the host knows the app, and the app may read and push for those who have installed it.
    private func examine(_ settings: SignInSettings.AppSettings, report: (Diagnosis) -> Void) {
        do throws(InstallationFailure) {
            let identity = try AppIdentity(context, settings, with: dependencies)
            try identity.verify()
            report(found(.app, .ok, .appKnown(DisplayText(identity.app.id.utf8))))
            let installation = try identity.installation(for: nil)
            let owner = DisplayText(installation.owner.utf8)
            guard !installation.isSuspended else { throw .suspended(owner: owner) }
            switch installation.permissions["contents"] {
            case "write": report(found(.app, .ok, .appInstalled([owner])))
            case "read": report(found(.app, .warn, .appMayNotPush(owner: owner)))
            default: report(found(.app, .fail, .appMayNotRead(owner: owner)))
            }
        } catch .several(let owners) where context.configuration.value("credential", "useHttpPath") != nil {
            report(found(.app, .ok, .appInstalled(owners)))
        } catch {
            report(found(.app, .fail, .appFailed(error)))
        }
    }

    private static func isSignedIn(_ accounts: [Diagnosis]) -> Bool? {
        var isKnown = true
        for case .host(_, let finding) in accounts.map(\.finding) {
            switch finding {
            case .accepted, .endedRenewable, .notTold: return true
            case .nobodySignedIn, .ended, .rejected, .otherAccount: break
            default: isKnown = false
            }
        }
        return isKnown ? false : nil
    }

    /// What was found about the host.
    private func found(
        _ check: Diagnosis.Check, _ result: Diagnosis.Result, _ finding: Diagnosis.Host, at address: HTTPSAddress? = nil
    ) -> Diagnosis {
        let name = address.map { DisplayText(own: $0.authority) } ?? host.displayName
        return Diagnosis(check, result, .host(name, finding))
    }

    /// The server that issues the host's tokens; reported only if it had to be looked up.
    private func server(_ report: (Diagnosis) -> Void) -> SignInServer? {
        do {
            let server = try context.server(with: dependencies)
            if let issuer = server.endpoints.metadata?.issuer {
                report(found(.issuer, .ok, .issuer(DisplayText(issuer.text.utf8))))
            }
            return server
        } catch {
            report(found(.issuer, .fail, .noServer(error)))
            return nil
        }
    }

    private var clientID: Diagnosis {
        guard context.clientID == nil else { return found(.clientID, .ok, .clientKnown) }
        return hasToken ? found(.clientID, .ok, .noClientNeeded) : found(.clientID, .fail, .noClient)
    }

    /// Whether a token is stored that has not expired; whether the host accepts it is said of the account.
    private var hasToken: Bool {
        if case .unreadable = store { return false }
        guard let stored = try? Lookup(with: dependencies).all(context.query(path: nil)) else { return false }
        return stored.contains { $0.credential.isAlive(at: dependencies.clock.now) }
    }

    /// Whether the host can be reached, and what its clock says.
    private enum Reach {
        case success(date: Int64?)
        case failure(Diagnosis)
    }

    /// Sends a small request that needs no token; any answer will do.
    private func reach() -> Reach {
        var date: Int64?
        for address in host.provider.probes(of: host) {
            guard dependencies.clock.uptimeMilliseconds < end else {
                return .failure(found(.network, .skip, .tookTooLong))
            }
            let before = dependencies.clock.now
            do throws(TransportError) {
                let response = try transport.send(HTTPRequest(.get, address))
                guard response.status < 500 else {
                    return .failure(found(.network, .fail, .trouble(status: response.status), at: address))
                }
                // The time that the response took is not a clock difference.
                let halfway = (dependencies.clock.now - before) / 2
                date = response.header("date").flatMap(HTTPDate.parse).map { $0 + halfway }
            } catch .tooLarge {
                // A page above our size limit did arrive, over a verified connection.
                continue
            } catch {
                return .failure(fault(error, address))
            }
        }
        return .success(date: date)
    }

    private func fault(_ error: TransportError, _ address: HTTPSAddress) -> Diagnosis {
        let check: Diagnosis.Check =
            switch error {
            case .proxy: .proxy
            case .untrusted, .untrustedBy: .certificate
            default: .network
            }
        return found(check, .fail, .transport(error), at: address)
    }

    private func clock(_ date: Int64?) -> Diagnosis {
        guard let date else { return found(.clock, .skip, .clockUnknown) }
        let ahead = dependencies.clock.now - date
        return abs(ahead) > Self.tolerance
            ? found(.clock, .fail, .clockAhead(ahead)) : found(.clock, .ok, .clockAgrees)
    }

    private func accounts(at server: SignInServer?) -> [Diagnosis] {
        if case .unreadable = store { return [found(.account, .skip, .onlyKeyringKnows)] }
        let query = context.query(path: nil)
        do throws(KeyringError) {
            let stored = try Lookup(with: dependencies).all(query)
            guard !stored.isEmpty else {
                if case .memory(isAll: false) = store { return [found(.account, .skip, .onlyKeyringKnows)] }
                return [found(.account, .skip, .nobodySignedIn)]
            }
            return stored.prefix(Self.mostAccounts).map { account($0.credential, at: server) }
        } catch .locked {
            // Items may be locked in an open keyring: KeePassXC asks a person about each one.
            return [found(.account, .skip, .keyringAsksForEach)]
        } catch {
            return [found(.account, .fail, .keyring(error))]
        }
    }

    private func account(_ credential: StoredCredential, at server: SignInServer?) -> Diagnosis {
        let who = DisplayText(credential.username)
        let again = context.signInAgain(as: credential.username)
        guard credential.isAlive(at: dependencies.clock.now) else {
            return credential.isRenewable
                ? found(.account, .ok, .endedRenewable(who)) : found(.account, .fail, .ended(who, again))
        }
        guard dependencies.clock.uptimeMilliseconds < end else { return found(.account, .skip, .accountsNotAsked) }
        switch context.standing(of: credential, at: server, with: dependencies) {
        case .accepted, .unclaimed: return found(.account, .ok, .accepted(who))
        case .otherAccount(let owner): return found(.account, .fail, .otherAccount(who, owner: owner))
        case .rejected: return found(.account, .fail, .rejected(who, again))
        case .unknown, .interrupted: return found(.account, .skip, .notTold(who))
        }
    }
}
