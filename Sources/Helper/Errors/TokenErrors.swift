package import CredentialCore
package import Providers

extension UserFacingError {
    package static func newToken(_ page: HTTPSAddress?) -> [Message] {
        page.map { [Message("create a token here:"), .command("\($0)")] } ?? []
    }

    package static func tokenNeeded(host: DisplayText, page: HTTPSAddress?) -> UserFacingError {
        UserFacingError(
            .tokenNeeded,
            Message("gitspace cannot sign in to %1$s; it stores a token that you create there", host),
            newToken(page)
                + [Message("store it with:"), .command("git credential-gitspace setup \(word: host) --with-token")])
    }

    package static func tokenNeedsAccount(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .tokenNeeded, Message("the token for %1$s needs an account name", host),
            Message("add the name after the host:"), .command("git credential-gitspace setup \(word: host) NAME"))
    }

    package static func hostRecognized(_ kind: RecognizedHost, host: DisplayText) -> UserFacingError {
        UserFacingError(
            .hostRecognized, Message("%1$s looks like a %2$s server, but its provider is not set", host, kind.name),
            Message("if you trust it, set its provider and set it up:"),
            .setting(.provider, of: host, to: kind.takesSignIn ? DisplayText(trusted: kind.provider.rawValue) : "none"),
            .command("git credential-gitspace setup \(word: host)"))
    }

    package static func gitLacksAuthtype(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .gitLacksAuthtype, Message("%1$s is set to use Bearer tokens, which this git cannot send", host),
            Message("use git 2.46 or newer"))
    }

    package static func tokenRefused(host: DisplayText, page: HTTPSAddress?) -> UserFacingError {
        UserFacingError(.tokenUnusable, Message("%1$s rejected this token; nothing was stored", host), newToken(page))
    }

    package static func tokenRefused(
        host: DisplayText, _ repository: DisplayText, as name: DisplayText, permissions: DisplayText?,
        page: HTTPSAddress?
    ) -> UserFacingError {
        UserFacingError(
            .tokenUnusable,
            Message("%1$s rejected this token of %2$s for %3$s; nothing was stored", host, name, repository),
            [Message("the name must be your user name there, and the repository one that you can read")]
                + needed(permissions) + newToken(page))
    }

    package static func needed(_ permissions: DisplayText?) -> [Message] {
        permissions.map { [Message("the token needs these permissions: %1$s", $0)] } ?? []
    }

    package static func notAUsername(isAddress: Bool, host: DisplayText) -> UserFacingError {
        UserFacingError(
            .malformedArgument,
            isAddress
                ? Message("an e-mail address is not a user name, and %1$s never accepts one from git", host)
                : Message("that is not a user name on %1$s", host),
            Message("your user name is part of clone addresses, as in https://NAME@%1$s/...", host))
    }

    package static func noRepository(on host: DisplayText) -> UserFacingError {
        UserFacingError(
            .malformedArgument, Message("this is not a repository on %1$s", host),
            Message("enter its clone address, or WORKSPACE/NAME"))
    }

    package static func tokenNotVerified(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .server, Message("could not verify this token with %1$s; nothing was stored", host),
            Message("see what is wrong:"), .command("git credential-gitspace doctor"))
    }

    package static func tokenOfAnother(asked: DisplayText?, owner: DisplayText) -> UserFacingError {
        let whom: any MessageArgument = asked ?? Message("the account that was asked for")
        return UserFacingError(
            .tokenUnusable, Message("this token belongs to %1$s, not to %2$s; nothing was stored", owner, whom))
    }

    /// The error for a host of unknown kind; `failure` is why it did not answer as a git server does, if it was asked.
    package static func notForSignIn(host: DisplayText, because failure: SignInError? = nil) -> UserFacingError {
        // The kind of a well-known host is fixed, so no hint to set another one.
        guard BuiltInHost(rawValue: host.text) == nil else {
            return UserFacingError(
                .notForSignIn, Message("gitspace cannot sign in to %1$s", host),
                Message("you can enter a personal access token at git's password prompt; gitspace stores it"))
        }
        let provider = [
            Message(
                "if this is your own server, set its provider (%1$s, or none if it only takes tokens):",
                DisplayText(trusted: ProviderID.allCases.map(\.rawValue).joined(separator: ", "))),
            .setting(.provider, of: host, to: "KIND"),
        ]
        // A single word is hardly a server's name.
        let isWord = !host.text.utf8.contains { ".:".utf8.contains($0) }
        guard let failure, !isWord || failure != .transport(.unreachable),
            let met = signIn(failure, host: host, clientID: "")
        else { return UserFacingError(.notForSignIn, Message("unknown host %1$s", host), provider) }
        // A provider does not help if every request would fail for the same reason.
        let helps =
            switch failure {
            case .transport(.unreachable), .transport(.timedOut), .transport(.tooLarge), .transport(.malformed): true
            case .transport: false
            default: true
            }
        return met.within(.notForSignIn) { Message("cannot tell what kind of server %1$s is: %2$s", host, $0) }
            .with(met.hints + (helps ? provider : []))
    }

    package static func mistypedHost(_ host: DisplayText, meant: DisplayText, command: DisplayText) -> UserFacingError {
        UserFacingError(
            .notForSignIn, Message("unknown host %1$s; did you mean %2$s?", host, meant),
            Message("for a server of your own, set %1$s first; else run:", SettingKey.provider.name(on: host)),
            .command("git credential-gitspace \(command)"))
    }

    package static func onlyTokens(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .notForSignIn, Message("gitspace cannot sign in to %1$s; it stores a token that you create there", host),
            Message("to store another token:"), .command("git credential-gitspace setup \(word: host) --with-token"))
    }

    package static func internationalName(_ host: DisplayText) -> UserFacingError {
        UserFacingError(
            .notForSignIn, Message("the host name %1$s is not ASCII", host),
            Message("use its form that begins with xn-- in the address and in git's configuration"))
    }

    package static func providerBelowPath(_ url: DisplayText, host: DisplayText) -> UserFacingError {
        UserFacingError(
            .notForSignIn,
            Message("a provider is set for %1$s, but gitspace signs in to whole hosts and not below a path", url),
            Message("to use a token that you create there:"),
            .command(
                "git config --global \(word: SettingKey.provider.name(on: host)) none && git credential-gitspace setup \(word: host)"
            ))
    }
}
