internal import CredentialCore
internal import Helper
internal import Language
package import Messages
internal import Providers

extension Finding: ReportText {
    package var lines: [Message] {
        guard let rights else { return [] }
        let workflows: Message? =
            switch rights.workflows {
            case .notSeparate: nil
            case _ where !rights.canPush: Message("Change workflow files: no")
            case .granted: Message("Change workflow files: yes")
            case .missing: Message("Change workflow files: no")
            case .unknown: Message("Change workflow files: unknown")
            }
        return [
            result == .reachable
                ? Message("%1$s on %2$s, as %3$s", repository, host, who)
                : Message("%1$s on %2$s, without signing in", repository, host),
            .indented(Message("Read: yes")),
            .indented(rights.canPush ? Message("Push: yes") : Message("Push: no")),
        ] + [workflows].compactMap(\.self).map(Message.indented) + words.hints.map(Message.indented)
    }

    package var failure: ErrorText? { canRead ? nil : words }

    package var json: [String] {
        let words = words
        return [
            JSONText.object([
                ("host", JSONText.string(host)), ("repository", JSONText.string(repository)),
                ("account", account.map { JSONText.string($0) }), ("result", JSONText.string(result)),
                ("read", String(canRead)), ("push", String(rights?.canPush ?? false)),
                ("workflow", mayChangeWorkflows.map { String($0) }),
                ("page", page.map { JSONText.string("\($0)") }),
                ("owner", tokenOwner.map { JSONText.string($0) }),
                ("other_account", otherAccount.map { JSONText.string($0) }), ("text", JSONText.string(words.what)),
                ("hints", JSONText.list(words.hints)),
            ])
        ]
    }

    /// One finding is one object.
    package static func document(_ objects: [String]) -> String { objects.map { $0 + "\n" }.joined() }

    /// Whether workflow files can be pushed; nil if unknown.
    private var mayChangeWorkflows: Bool? {
        guard let rights, rights.canPush else { return false }
        return switch rights.workflows {
        case .granted, .notSeparate: true
        case .missing: false
        case .unknown: nil
        }
    }

    private var who: DisplayText { account ?? "" }

    private var tokenOwner: DisplayText? { if case .otherAccount(let owner) = reason { owner } else { nil } }
}

extension Finding {
    /// What there is to say, and to do.
    package var words: ErrorText {
        guard let otherAccount else { return ownWords }
        if isWrongAccount {
            return ErrorText(
                Message("%2$s cannot access %1$s, but %3$s can", repository, who, otherAccount),
                choosing(otherAccount))
        }
        let other = Message("your other account %1$s has more access here", otherAccount)
        return ErrorText(ownWords.what, ownWords.hints + [other] + choosing(otherAccount))
    }

    /// How to tell git to use another account; empty if a name could not be pasted into a shell.
    private func choosing(_ other: DisplayText) -> [Message] {
        guard RepositoryAddress("https://\(other)@\(host)/\(repository)")?.username == other.text else { return [] }
        let commands = choices.map { command(choosing: other, by: $0) }
        guard let first = commands.first else { return [] }
        guard commands.count > 1 else { return [Message("use that account for this remote:"), first] }
        let isOwner = choices.contains(.owner)
        return [
            isOwner
                ? Message("use that account for this remote, or for all repositories of this owner:")
                : Message("use that account for this remote, or for every remote of this repository:")
        ] + commands
    }

    private func command(choosing other: DisplayText, by choice: AccountChoice) -> Message {
        switch choice {
        case .remote(let name):
            .command("git remote set-url \(word: name) https://\(other)@\(host)/\(repository)")
        case .owner: .command("git config --global credential.https://\(host)/\(owner).username \(other)")
        case .repository(let key, let option): .command("git config \(option) \(word: key) \(other)")
        }
    }

    /// Even if the host accepts the stored token: a new one can be granted more.
    private var signInAnew: [Message] { [.login(host, signInAgain, isForced: true)] }

    /// What there is to say of the account that git would use.
    private var ownWords: ErrorText {
        switch reason {
        case .reached(let rights): reached(rights)
        case .notSignedIn: notSignedIn
        case .tokenEnded:
            ErrorText(
                Message("the token of %1$s for %2$s has expired", who, host),
                [Message("sign in again:"), .login(host, signInAgain)])
        case .tokenRejected:
            ErrorText(
                Message("%1$s rejected the token of %2$s", provider, who), [Message("sign in again:")] + signInAnew)
        case .otherAccount(let owner): ErrorText(.storedOfAnother(account: who, owner: owner, host: host))
        case .singleSignOn(let page): singleSignOn(page)
        case .appRestricted, .appNotInstalled, .notFoundByApp: aboutApp
        case .scopeMissing(let scope):
            ErrorText(
                Message(
                    "the token of %1$s lacks the %2$s scope, so it cannot access %3$s if that is private", who, scope,
                    repository), [Message("sign in again and grant it:")] + signInAnew)
        case .notFound:
            ErrorText(
                Message("%1$s does not exist, or %2$s has no access to it", repository, who),
                [Message("check the name, or ask the owner for access")])
        case .moved:
            ErrorText(
                Message("%1$s has been renamed or moved", repository),
                [
                    Message("open this page to find its new address:"),
                    .command(page.map { "\($0)" } ?? ""),
                ])
        case .addressNotAllowed:
            ErrorText(
                Message("the organization %1$s does not allow access from this network", owner),
                [Message("try again from the organization's network or VPN")])
        case .rateLimited(let minutes):
            ErrorText(
                Message("too many requests to %1$s", host),
                [Message("try again in %1$s min; git itself is not affected", minutes)])
        case .blocked: ErrorText(Message("%1$s has blocked access to %2$s", provider, repository))
        case .refused(let status):
            ErrorText(Message("%1$s denied %3$s access to %2$s (status %4$s)", host, repository, who, status))
        case .offline(let error): ErrorText(error.words(host: host))
        case .serverInTrouble(let status):
            ErrorText(
                Message("%1$s returned a server error (status %2$s)", host, status),
                [Message("try again in a few minutes")])
        case .malformedAnswer: ErrorText(Message("%1$s sent an unexpected response", host))
        case .failed(let error): ErrorText(error)
        }
    }

    private var notSignedIn: ErrorText {
        let command: DisplayText =
            account == nil ? "git credential-gitspace setup \(word: host)" : signInAgain.command(host)
        return ErrorText(
            account.map { Message("not signed in to %1$s as %2$s", host, $0) }
                ?? Message("not signed in to %1$s", host),
            [canRead ? Message("anyone can read it; to push, sign in with:") : Message("sign in with:")]
                + [.command(command)])
    }

    private func reached(_ rights: RepositoryRights) -> ErrorText {
        var hints: [Message] = []
        if rights.isArchived {
            hints.append(Message("it is archived, so no one can push to it"))
        } else if rights.mayPush, let scope = rights.missingScope {
            hints.append(
                Message(
                    "the token lacks the scope needed to push; sign in again and grant %1$s:", DisplayText(own: scope)))
            hints += signInAnew
        } else if rights.canPush, rights.workflows == .missing {
            hints.append(
                Message(
                    "the token lacks the workflow scope, so pushes that change workflow files are rejected; sign in again:"
                ))
            hints += signInAnew
        } else if rights.canPush, rights.workflows == .unknown, let furtherPage {
            hints.append(Message("the app's own permissions apply as well; see them here:"))
            hints.append(.command("\(furtherPage)"))
        } else if rights.canPush, let furtherPage {
            hints.append(Message("protected branches and push rules apply as well; see them here:"))
            hints.append(.command("\(furtherPage)"))
        }
        return ErrorText(
            rights.canPush
                ? Message("%1$s can read %2$s and push to it", who, repository)
                : Message("%1$s can read %2$s, but cannot push to it", who, repository), hints)
    }

    private func singleSignOn(_ page: HTTPSAddress?) -> ErrorText {
        let what = Message("the organization %1$s requires single sign-on", owner)
        if let page {
            return ErrorText(
                what, [Message("authorize the token on this page, then try again:"), .command("\(page)")])
        }
        let place = furtherPage.map { [Message.command("\($0)")] } ?? []
        return ErrorText(
            what, [Message("sign in there in the browser, then sign in here again:")] + place + signInAnew)
    }

    /// What the app may not reach.
    private var aboutApp: ErrorText {
        let place = page.map { [Message.command("\($0)")] } ?? []
        return switch reason {
        case .appRestricted:
            ErrorText(
                Message("the organization %1$s has not approved the app you signed in with", owner),
                [Message("ask its owners to approve the app; you can send the request from the app's entry here:")]
                    + place
            )
        case .appNotInstalled:
            ErrorText(
                Message("the app you signed in with is not installed on %1$s", repository),
                [Message("install it there, or give it access to this repository:")] + place)
        default:
            ErrorText(
                Message(
                    "%1$s does not exist, or %2$s has no access to it, or the app is not installed on it", repository,
                    who),
                [Message("see where the app is installed:")] + place)
        }
    }
}
