internal import CredentialCore
internal import Helper
internal import Messages
internal import OAuth
internal import Providers

/// One host: who signs in there, whether it can be reached, what its clock says, and whether it takes the stored tokens.
struct HostExamination {
    private let context: SignInContext
    private let dependencies: Dependencies
    private let isKeyringReadable: Bool
    private let end: Int64
    private let transport: any Transport

    /// Seconds by which clocks may differ before a token's end is misjudged.
    private static let tolerance: Int64 = 60
    private static let mostAccounts = 8

    init(_ context: SignInContext, with dependencies: Dependencies, isKeyringReadable: Bool, until end: Int64) {
        self.context = context
        self.dependencies = dependencies
        self.isKeyringReadable = isKeyringReadable
        self.end = end
        transport = dependencies.transport(context.transport)
    }

    private var host: SignInHost { context.host }

    func examine(report: (Diagnosis) -> Void) {
        report(clientID)
        switch reach() {
        case .failure(let fault):
            report(fault)
            report(Diagnosis(.clock, .skip, Message("the clock was not compared with that of %1$s", name)))
            report(Diagnosis(.account, .skip, Message("%1$s was not asked about accounts", name)))
        case .success(let date):
            report(Diagnosis(.network, .ok, Message("%1$s answers, and its certificate is trusted", name)))
            report(clock(date))
            accounts.forEach(report)
        }
    }

    private var name: String { host.displayName }

    private var clientID: Diagnosis {
        guard context.client != nil else {
            return Diagnosis(
                .clientID, .fail, Message("no OAuth client ID is known for %1$s, so nobody can sign in", name),
                [Message("make one:"), .command("git credential-gitspace register \(name)")])
        }
        return Diagnosis(.clientID, .ok, Message("an OAuth client ID is known for %1$s", name))
    }

    /// Whether there is a way to the host, and what its clock says.
    private enum Reach {
        case success(date: Int64?)
        case failure(Diagnosis)
    }

    /// Asks something small that needs no token; any answer will do.
    private func reach() -> Reach {
        var date: Int64?
        for address in host.provider.probes(of: host) {
            guard dependencies.clock.uptimeMilliseconds < end else {
                return .failure(Diagnosis(.network, .skip, Message("%1$s was not asked: it has taken too long", name)))
            }
            let before = dependencies.clock.now
            do throws(TransportError) {
                let response = try transport.send(HTTPRequest(.get, address))
                guard response.status < 500 else { return .failure(trouble(address, response.status)) }
                // What was lost on the way to us is none of the clock's fault.
                let halfway = (dependencies.clock.now - before) / 2
                date = response.header("date").flatMap(HTTPDate.parse).map { $0 + halfway }
            } catch .tooLarge {
                // A page beyond our limit came all the way, over a connection that was verified.
                continue
            } catch {
                return .failure(fault(error, address))
            }
        }
        return .success(date: date)
    }

    private func trouble(_ address: HTTPSAddress, _ status: Int) -> Diagnosis {
        Diagnosis(
            .network, .fail, Message("%1$s is in trouble (status %2$s)", address.authority, String(status)),
            [Message("try again in a few minutes")])
    }

    private func fault(_ error: TransportError, _ address: HTTPSAddress) -> Diagnosis {
        let check: Diagnosis.Check =
            switch error {
            case .proxy: .proxy
            case .untrusted: .certificate
            default: .network
            }
        return Diagnosis(check, .fail, error.sentence(host: address.authority), error.hints)
    }

    private func clock(_ date: Int64?) -> Diagnosis {
        guard let date else { return Diagnosis(.clock, .skip, Message("%1$s does not say what time it is", name)) }
        let ahead = dependencies.clock.now - date
        guard abs(ahead) > Self.tolerance else {
            return Diagnosis(.clock, .ok, Message("this machine's clock agrees with that of %1$s", name))
        }
        let seconds = String(abs(ahead))
        let hints = [Message("set it by the network's:"), Message.command("sudo timedatectl set-ntp true")]
        return Diagnosis(
            .clock, .fail,
            ahead > 0
                ? Message("this machine's clock is %1$s seconds ahead of that of %2$s", seconds, name)
                : Message("this machine's clock is %1$s seconds behind that of %2$s", seconds, name), hints)
    }

    private var accounts: [Diagnosis] {
        guard isKeyringReadable else {
            return [Diagnosis(.account, .skip, Message("who is signed in to %1$s only the keyring knows", name))]
        }
        let query = context.query(path: nil)
        do throws(KeyringError) {
            let found = try Lookup(with: dependencies).all(query)
            let login = [
                Message("sign in at the next push, or now:"), Message.command("git credential-gitspace login \(name)"),
            ]
            guard !found.isEmpty else {
                return [Diagnosis(.account, .skip, Message("nobody is signed in to %1$s", name), login)]
            }
            return found.prefix(Self.mostAccounts).map { account($0.credential) }
        } catch .locked {
            // An item may be locked in an open keyring: KeePassXC has a person confirm each one.
            return [
                Diagnosis(.account, .skip, Message("the keyring asks a person before it shows a token of %1$s", name))
            ]
        } catch {
            return [Diagnosis(.account, .fail, error.sentence, error.hints)]
        }
    }

    private func account(_ credential: StoredCredential) -> Diagnosis {
        let who = DisplayText.escaped(credential.username)
        let anew = [Message("sign in anew:"), Message.command("git credential-gitspace login \(name) --force")]
        guard credential.isAlive(at: dependencies.clock.now) else {
            return credential.oauthRefreshToken == nil
                ? Diagnosis(.account, .fail, Message("the sign-in of %1$s to %2$s has ended", who, name), anew)
                : Diagnosis(
                    .account, .ok,
                    Message("the token of %1$s for %2$s has ended, and is renewed when needed", who, name))
        }
        guard dependencies.clock.uptimeMilliseconds < end else {
            return Diagnosis(.account, .skip, Message("%1$s was not asked about accounts", name))
        }
        switch host.provider.account(of: credential.password, on: host, over: transport) {
        case .username: return Diagnosis(.account, .ok, Message("%1$s accepts the token of %2$s", name, who))
        case .rejected:
            return Diagnosis(.account, .fail, Message("%1$s no longer accepts the token of %2$s", name, who), anew)
        case .unknown, .interrupted:
            return Diagnosis(
                .account, .skip, Message("%1$s does not say whether it accepts the token of %2$s", name, who))
        }
    }
}
