package import Commands
internal import CredentialCore
internal import Helper
internal import OAuth
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
            case .unknown: Message("Change workflow files: not known")
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
                ("other_account", otherAccount.map { JSONText.string($0) }), ("text", JSONText.string(words.what)),
                ("hints", JSONText.list(words.hints)),
            ])
        ]
    }

    /// One finding is one object.
    package static func document(_ objects: [String]) -> String { objects.map { $0 + "\n" }.joined() }

    /// Whether workflow files can be pushed; nil if nobody says.
    private var mayChangeWorkflows: Bool? {
        guard let rights, rights.canPush else { return false }
        return switch rights.workflows {
        case .granted, .notSeparate: true
        case .missing: false
        case .unknown: nil
        }
    }

    private var who: DisplayText { account ?? "" }
}

extension Finding {
    /// What there is to say, and to do.
    package var words: ErrorText {
        guard let otherAccount else { return ownWords }
        if isWrongAccount {
            return ErrorText(
                Message("%1$s is out of reach for %2$s, but not for %3$s", repository, who, otherAccount),
                choosing(otherAccount))
        }
        let other = Message("the account %1$s, which is stored as well, can do more here", otherAccount)
        return ErrorText(ownWords.what, ownWords.hints + [other] + choosing(otherAccount))
    }

    /// How git is told to use another account; nothing where a name could not be pasted into a shell.
    private func choosing(_ other: DisplayText) -> [Message] {
        guard RepositoryAddress("https://\(other)@\(host)/\(repository)")?.username == other.text else { return [] }
        return [
            Message("name that account in the address, or for everything of this owner:"),
            .command("git remote set-url origin https://\(other)@\(host)/\(repository)"),
            .command("git config --global credential.https://\(host)/\(owner).username \(other)"),
        ]
    }

    private var anew: [Message] { [.command("git credential-gitspace login \(host) --force")] }

    /// What there is to say of the account that git would use.
    private var ownWords: ErrorText {
        switch reason {
        case .reached(let rights): reached(rights)
        case .notSignedIn: notSignedIn
        case .tokenEnded:
            ErrorText(
                Message("the stored sign-in of %1$s to %2$s has ended", who, host),
                [Message("sign in anew:"), .command("git credential-gitspace login \(host)")])
        case .tokenRejected:
            ErrorText(
                Message("%1$s no longer accepts the token of %2$s", provider, who), [Message("sign in anew:")] + anew)
        case .singleSignOn(let page): singleSignOn(page)
        case .appRestricted, .appNotInstalled, .notFoundByApp: aboutApp
        case .scopeMissing(let scope):
            ErrorText(
                Message(
                    "the token of %1$s has no scope %2$s, so %3$s is out of its reach if it is private", who, scope,
                    repository), [Message("sign in anew and grant it:")] + anew)
        case .notFound:
            ErrorText(
                Message("%1$s is not there, or is hidden from %2$s", repository, who),
                [Message("look whether the name is right, and ask its owner to let you in")])
        case .moved:
            ErrorText(
                Message("%1$s has been renamed or moved", repository),
                [
                    Message("this page leads to its new address; check that one:"),
                    .command(page.map { "\($0)" } ?? ""),
                ])
        case .addressNotAllowed:
            ErrorText(
                Message("the organisation %1$s lets in only certain networks, and not this one", owner),
                [Message("try again from its own network or VPN")])
        case .rateLimited(let minutes):
            ErrorText(
                Message("%1$s has been asked too often", host),
                [Message("try again in %1$s min; git itself is not affected", minutes)])
        case .blocked: ErrorText(Message("%1$s has blocked access to %2$s", provider, repository))
        case .refused(let status):
            ErrorText(Message("%1$s refuses %2$s to %3$s (status %4$s)", host, repository, who, status))
        case .offline(let error): error.words(host: host)
        case .serverInTrouble(let status):
            ErrorText(
                Message("%1$s is in trouble (status %2$s)", host, status), [Message("try again in a few minutes")])
        case .malformedAnswer: ErrorText(Message("%1$s answered with something that is no answer", host))
        case .failed(let error): error.words
        }
    }

    private var notSignedIn: ErrorText {
        let command: DisplayText =
            account.map { "git credential-gitspace login \(host) --username \(word: $0)" }
            ?? "git credential-gitspace login \(host)"
        return ErrorText(
            account.map { Message("not signed in to %1$s as %2$s", host, $0) }
                ?? Message("not signed in to %1$s", host),
            [canRead ? Message("everybody may read it; to push, sign in with:") : Message("sign in with:")]
                + [.command(command)])
    }

    private func reached(_ rights: RepositoryRights) -> ErrorText {
        var hints: [Message] = []
        if rights.isArchived {
            hints.append(Message("it is archived: nobody may push to it"))
        } else if rights.mayPush, let scope = rights.missingScope {
            hints.append(
                Message(
                    "the token has no scope that lets it push; sign in anew and grant %1$s:", DisplayText(own: scope)))
            hints += anew
        } else if rights.canPush, rights.workflows == .missing {
            hints.append(
                Message("the token has no scope workflow: pushing workflow files will be refused; sign in anew:"))
            hints += anew
        } else if rights.canPush, rights.workflows == .unknown, let furtherPage {
            hints.append(Message("what the app itself may do here counts as well:"))
            hints.append(.command("\(furtherPage)"))
        } else if rights.canPush, let furtherPage {
            hints.append(Message("protected branches and push rules count as well:"))
            hints.append(.command("\(furtherPage)"))
        }
        return ErrorText(
            rights.canPush
                ? Message("%1$s may read %2$s and push to it", who, repository)
                : Message("%1$s may read %2$s, but not push to it", who, repository), hints)
    }

    private func singleSignOn(_ page: HTTPSAddress?) -> ErrorText {
        let what = Message("the organisation %1$s wants single sign-on", owner)
        if let page {
            return ErrorText(
                what, [Message("let the token in on this page, and try again:"), .command("\(page)")])
        }
        let place = furtherPage.map { [Message.command("\($0)")] } ?? []
        return ErrorText(what, [Message("sign on there in the browser, then here anew:")] + place + anew)
    }

    /// What the app may not reach.
    private var aboutApp: ErrorText {
        let place = page.map { [Message.command("\($0)")] } ?? []
        return switch reason {
        case .appRestricted:
            ErrorText(
                Message("the organisation %1$s has not approved the app that signs in", owner),
                [Message("ask its owners to approve the app; you can request that here, under the app's name:")] + place
            )
        case .appNotInstalled:
            ErrorText(
                Message("the app that signs in is not installed for %1$s", repository),
                [Message("install it there, or let it into this repository:")] + place)
        default:
            ErrorText(
                Message(
                    "%1$s is not there, or is hidden from %2$s, or the app is not installed for it", repository, who),
                [Message("see where the app is installed:")] + place)
        }
    }
}
