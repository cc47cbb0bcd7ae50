internal import CredentialCore
internal import Helper
internal import Providers

struct RepositoryWords {
    let host: SignInHost
    /// The name, as `Provider.repositoryName` returns it.
    let name: String
    /// The account whose token was used or asked for, or `nil` for a request without a token.
    let account: DisplayText?
    let signInAgain: SignInAgain

    private var hostName: DisplayText { host.displayName }
    /// The service's name, or the host's if its kind has no service.
    private var service: DisplayText { host.provider.facts.issuesElsewhere ? hostName : host.provider.displayName }
    private var repository: DisplayText { DisplayText(trusted: name) }
    private var owner: DisplayText { DisplayText(trusted: name.split(separator: "/").first.map(String.init) ?? "") }
    private var who: DisplayText { account ?? "" }

    /// A new token can have more rights, even if the stored one is valid.
    private var signInAnew: [Message] { [.login(hostName, signInAgain, isForced: true)] }

    /// `page` follows the hints.
    private func found(
        _ result: DisplayText, _ text: Message, _ hints: [Message] = [], rights: RepositoryRights? = nil,
        page: HTTPSAddress? = nil, owner: DisplayText? = nil, another: Finding.OtherAccount = .cannotHelp
    ) -> Finding {
        Finding(
            host: hostName, repository: repository, account: account, result: result, text: text,
            hints: hints + command(page), rights: rights, page: page, tokenOwner: owner, another: another)
    }

    // MARK: Before the request to the host

    /// `rights` are those of everybody.
    func notSignedIn(_ rights: RepositoryRights?) -> Finding {
        let command: DisplayText =
            account == nil ? "git credential-gitspace setup \(word: hostName)" : signInAgain.command(hostName)
        return found(
            "not_signed_in",
            account.map { Message("not signed in to %1$s as %2$s", hostName, $0) }
                ?? Message("not signed in to %1$s", hostName),
            [
                rights == nil ? Message("sign in with:") : Message("anyone can read it; to push, sign in with:"),
                .command(command),
            ], rights: rights, another: rights == nil ? .isMeant : .canHelp)
    }

    var tokenEnded: Finding {
        found(
            "expired", Message("the token of %1$s for %2$s has expired", who, hostName),
            signInAgain.remedy(hostName), another: .canHelp)
    }

    /// The finding about the account's token, or `nil` if it may work.
    func fault(of account: Account) -> Finding? {
        switch account.state {
        case .notFound:
            return found(
                "not_signed_in", Message("the keyring has lost the token of %1$s for %2$s", who, hostName),
                signInAgain.remedy(hostName), another: .canHelp)
        case .expired: return tokenEnded
        case .revoked: return tokenRejected(by: account.issuer)
        case .otherAccount where !account.isUnclaimed:
            let error = UserFacingError.storedOfAnother(account, host: hostName)
            return found("other_account", error.text, error.hints, owner: account.owner, another: .canHelp)
        // The stored name is used if the host does not return the owner of a token.
        case .authorized, .otherAccount, .unknown: return nil
        }
    }

    func failed(_ error: UserFacingError, as result: DisplayText = "unknown") -> Finding {
        found(result, error.text, error.hints)
    }

    /// The finding for a token that the host has rejected, or `issuer` if that is another server.
    private func tokenRejected(by issuer: DisplayText?) -> Finding {
        found(
            "revoked", Message("%1$s rejected the token of %2$s", issuer ?? service, who),
            signInAgain.remedy(hostName), another: .canHelp)
    }

    /// The finding for a token that `issuer` accepts, but that the host rejects as git sends it.
    func tokenRejected(although issuer: DisplayText?, wasBearer: Bool) -> Finding {
        found(
            "revoked",
            issuer.map { Message("%1$s rejected the token of %2$s, which %3$s accepts", hostName, who, $0) }
                ?? Message("%1$s rejected the token of %2$s", hostName, who),
            [
                wasBearer
                    ? Message("if it wants the token as a password, and not as Bearer, set that and sign in again:")
                    : Message("if it wants the token as Bearer, and not as a password, set that and sign in again:"),
                .setting(.gitspaceAuthType, of: hostName, to: wasBearer ? "basic" : "bearer"),
            ] + signInAnew, another: .canHelp)
    }

    // MARK: Answers of the host

    /// `now` is in seconds since 1970.
    func finding(_ answer: RepositoryAnswer, now: Int64) -> Finding {
        switch answer {
        case .reached(let rights): reached(rights)
        case .tokenRejected: tokenRejected(by: nil)
        case .singleSignOnRequired(let page): singleSignOn(page)
        case .appRestricted:
            found(
                "app_restricted", Message("the organization %1$s has not approved the app you signed in with", owner),
                [Message("ask its owners to approve the app; you can send the request from the app's entry here:")],
                page: host.provider.page(.approval), another: .canHelp)
        case .appNotInstalled:
            found(
                "app_not_installed", Message("the app you signed in with is not installed on %1$s", repository),
                [Message("install it there, or give it access to this repository:")],
                page: host.provider.page(.installations), another: .isMeant)
        case .notFoundByApp:
            found(
                "app_not_installed",
                Message(
                    "%1$s does not exist, or %2$s has no access to it, or the app is not installed on it", repository,
                    who), [Message("see where the app is installed:")], page: host.provider.page(.installations),
                another: .isMeant)
        case .addressNotAllowed:
            found(
                "address_not_allowed", Message("the organization %1$s does not allow access from this network", owner),
                [Message("try again from the organization's network or VPN")])
        case .scopeMissing(let scope):
            found(
                "scope_missing",
                Message(
                    "the token of %1$s lacks the %2$s scope, so it cannot access %3$s if that is private", who,
                    DisplayText(trusted: scope), repository), [Message("sign in again and grant it:")] + signInAnew,
                another: .isMeant)
        case .notFound:
            found(
                "not_found", Message("%1$s does not exist, or %2$s has no access to it", repository, who),
                [Message("check the name, or ask the owner for access")], another: .isMeant)
        case .moved:
            found(
                "moved", Message("%1$s has been renamed or moved", repository),
                [Message("open this page to find its new address:")], page: host.provider.page(.repository, name))
        case .rateLimited(let limit):
            found(
                "rate_limited", Message("too many requests to %1$s", hostName),
                [
                    Message(
                        "try again in %1$s; git is not affected",
                        Message.duration(limit.minutes(at: now) * 60, toWait: true))
                ])
        case .blocked: found("blocked", Message("%1$s has blocked access to %2$s", service, repository))
        case .refused(let status):
            found(
                "refused", Message("%1$s denied %3$s access to %2$s (status %4$s)", hostName, repository, who, status),
                another: .isMeant)
        case .unavailable(let status):
            found(
                "server_in_trouble", Message("%1$s returned a server error (status %2$s)", hostName, status),
                [Message("try again in a few minutes")])
        case .malformed: found("unknown", Message("%1$s sent an unexpected response", hostName))
        }
    }

    private func command(_ page: HTTPSAddress?) -> [Message] { page.map { [.command("\($0)")] } ?? [] }

    private func reached(_ rights: RepositoryRights) -> Finding {
        let permissions = command(host.provider.page(.installations))
        var hints: [Message] = []
        if rights.isArchived {
            hints = [Message("it is archived, so no one can push to it")]
        } else if rights.refusesPushes {
            hints = [Message("%1$s refuses pushes to it; the repository's page may say why:", service)]
            hints += command(host.provider.page(.repository, name))
        } else if !rights.mayPush {
            hints = [Message("ask the owner of %1$s for write access, or push to a fork of it", repository)]
            if rights.workflows == .unknown, !permissions.isEmpty {
                hints += [Message("if you have write access, the app may lack it; see its permissions here:")]
                hints += permissions
            }
        } else if let scope = rights.missingScope.map({ DisplayText(trusted: $0) }) {
            hints = [Message("the token lacks the scope needed to push; sign in again and grant %1$s:", scope)]
            hints += signInAnew
        } else if rights.canPush, rights.workflows == .missing {
            hints = [
                Message(
                    "the token lacks the workflow scope, so pushes that change workflow files are rejected; sign in again:"
                )
            ]
            hints += signInAnew
        } else if rights.canPush {
            let (heading, page) =
                rights.workflows == .unknown
                ? (Message("the app's own permissions apply as well; see them here:"), permissions)
                : (
                    Message("protected branches and push rules apply as well; see them here:"),
                    command(host.provider.page(.branchRules, name))
                )
            if !page.isEmpty { hints = [heading] + page }
        }
        return found(
            "reachable",
            rights.canPush
                ? Message("%1$s can read %2$s and push to it", who, repository)
                : Message("%1$s can read %2$s, but cannot push to it", who, repository), hints, rights: rights,
            another: rights.canPush || rights.isArchived ? .cannotHelp : .canHelp)
    }

    private func singleSignOn(_ page: HTTPSAddress?) -> Finding {
        found(
            "single_sign_on", Message("the organization %1$s requires single sign-on", owner),
            page != nil
                ? [Message("authorize the token on this page, then try again:")]
                : [Message("sign in there in the browser, then sign in here again:")]
                    + command(host.provider.page(.singleSignOn, owner.text)) + signInAnew, page: page,
            another: .canHelp)
    }
}
