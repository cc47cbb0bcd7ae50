internal import CredentialCore
internal import Helper
internal import Messages
internal import OAuth
internal import Providers

/// Puts a host's answer about a repository into words.
///
/// Nothing that the host wrote is in them, but names and addresses whose every byte was looked at.
struct CheckFormatter {
    /// Where.
    let host: SignInHost
    /// Which repository, as the person named it.
    let repository: String
    /// Whose token; nil while nobody is signed in.
    var account: String?
    /// In seconds since 1970.
    let now: Int64

    private var installations: HTTPSAddress { host.provider.page(.installations, on: host) }
    private var owner: String { repository.split(separator: "/").first.map(String.init) ?? "" }
    private var login: [Message] { [.command("git credential-gitspace login \(host.displayName)")] }
    private var anew: [Message] { [.command("git credential-gitspace login \(host.displayName) --force")] }
    private var who: String { account ?? "" }

    /// Nobody is signed in; a public repository can be read all the same.
    func notSignedIn(_ answer: RepositoryAnswer?) -> Finding {
        let name = host.displayName
        let text =
            account.map { Message("not signed in to %1$s as %2$s", name, $0) }
            ?? Message("not signed in to %1$s", name)
        let user = account.map { " --username \(ShellWord.quoted($0))" } ?? ""
        var hints = [Message("sign in with:"), .command("git credential-gitspace login \(name)\(user)")]
        guard case .reached(let rights)? = answer else { return make(.notSignedIn, text, hints) }
        hints[0] = Message("everybody may read it; to push, sign in with:")
        var finding = make(.notSignedIn, text, hints)
        finding.rights = rights
        return finding
    }

    /// The token has ended, and nothing renews it.
    func ended() -> Finding {
        make(
            .tokenEnded, Message("the stored sign-in of %1$s to %2$s has ended", who, host.displayName),
            [Message("sign in anew:")] + login)
    }

    /// No answer came.
    func offline(_ error: TransportError) -> Finding {
        make(.offline, error.sentence(host: host.displayName), error.hints)
    }

    /// The answer.
    func finding(_ answer: RepositoryAnswer) -> Finding {
        switch answer {
        case .reached(let rights): reached(rights)
        case .tokenRejected:
            make(
                .tokenRejected,
                Message("%1$s no longer accepts the token of %2$s", host.provider.displayName, who),
                [Message("sign in anew:")] + anew)
        case .singleSignOnRequired(let page): singleSignOn(page)
        case .appRestricted: appRestricted
        case .appNotInstalled: appNotInstalled
        case .addressNotAllowed:
            make(
                .addressNotAllowed,
                Message("the organisation %1$s lets in only certain networks, and not this one", owner),
                [Message("try again from its own network or VPN")])
        case .notFound(let scopes): notFound(scopes)
        case .rateLimited(let until): rateLimited(until)
        case .blocked:
            make(.blocked, Message("%1$s has blocked access to %2$s", host.provider.displayName, repository), [])
        case .refused(let status):
            make(
                .refused,
                Message("%1$s refuses %2$s to %3$s (status %4$s)", host.displayName, repository, who, String(status)),
                [])
        case .unavailable(let status):
            make(
                .serverInTrouble, Message("%1$s is in trouble (status %2$s)", host.displayName, String(status)),
                [Message("try again in a few minutes")])
        case .malformed:
            make(.unknown, Message("%1$s answered with something that is no answer", host.displayName), [])
        }
    }

    private func make(_ result: Finding.Result, _ text: Message, _ hints: [Message]) -> Finding {
        var finding = Finding(result, host: host.displayName, repository: repository, text: text, hints: hints)
        finding.account = account
        return finding
    }

    private func reached(_ rights: RepositoryRights) -> Finding {
        let name = rights.name ?? repository
        var hints: [Message] = []
        if name.lowercased() != repository.lowercased() {
            hints += [
                Message("it is called %1$s by now:", name),
                .command("git remote set-url origin https://\(host.displayName)/\(name)"),
            ]
        }
        if rights.isArchived {
            hints.append(Message("it is archived: nobody may push to it"))
        } else if rights.mayPush, !rights.scopesAllowPush {
            hints.append(Message("the token has no scope that lets it push; sign in anew and grant repo:"))
            hints += anew
        } else if rights.canPush, rights.mayChangeWorkflows == false {
            hints.append(
                Message("the token has no scope workflow: pushing workflow files will be refused; sign in anew:"))
            hints += anew
        } else if rights.canPush, rights.mayChangeWorkflows == nil {
            hints.append(Message("what the app itself may do here counts as well:"))
            hints.append(.command(installations.text))
        }
        let text =
            rights.canPush
            ? Message("%1$s may read %2$s and push to it", who, name)
            : Message("%1$s may read %2$s, but not push to it", who, name)
        var finding = make(.reachable, text, hints)
        finding.rights = rights
        return finding
    }

    private func singleSignOn(_ page: HTTPSAddress?) -> Finding {
        let text = Message("the organisation %1$s wants single sign-on", owner)
        guard let page else {
            let place = host.provider.page(.singleSignOn(organisation: owner), on: host).text
            return make(
                .singleSignOn, text, [Message("sign on there in the browser, then here anew:"), .command(place)] + anew)
        }
        var finding = make(
            .singleSignOn, text, [Message("let the token in on this page, and try again:"), .command(page.text)])
        finding.page = page.text
        return finding
    }

    private var appRestricted: Finding {
        let page = host.provider.page(.approval, on: host).text
        var finding = make(
            .appRestricted, Message("the organisation %1$s has not approved the app that signs in", owner),
            [
                Message("ask its owners to approve the app; you can request that here, under the app's name:"),
                .command(page),
            ])
        finding.page = page
        return finding
    }

    /// Limits are counted by the hour; a time beyond that is none of the host's own.
    private func rateLimited(_ until: Int64?) -> Finding {
        let hour: Int64 = 60
        let minutes = until.map { min(max(($0 - min(now, $0) + 59) / 60, 1), hour) } ?? hour
        return make(
            .rateLimited, Message("%1$s has been asked too often", host.displayName),
            [Message("try again in %1$s min; git itself is not affected", String(minutes))])
    }

    private var appNotInstalled: Finding {
        var finding = make(
            .appNotInstalled, Message("the app that signs in is not installed for %1$s", repository),
            [Message("install it there, or let it into this repository:"), .command(installations.text)])
        finding.page = installations.text
        return finding
    }

    /// Hosts do not tell what is absent from what is hidden; the scopes narrow it down.
    private func notFound(_ scopes: [String]?) -> Finding {
        guard let scopes else {
            var finding = make(
                .appNotInstalled,
                Message(
                    "%1$s is not there, or is hidden from %2$s, or the app is not installed for it", repository, who),
                [Message("see where the app is installed:"), .command(installations.text)])
            finding.page = installations.text
            return finding
        }
        guard scopes.contains("repo") else {
            return make(
                .scopeMissing,
                Message(
                    "the token of %1$s has no scope repo, so %2$s is out of its reach if it is private", who, repository
                ),
                [Message("sign in anew and grant it:")] + anew)
        }
        return make(
            .notFound, Message("%1$s is not there, or is hidden from %2$s", repository, who),
            [Message("look whether the name is right, and ask its owner to let you in")])
    }
}
