internal import CredentialCore
internal import Helper
internal import Providers

/// Errors about hosts without a device flow, hosts that nobody has configured, and hosts that need Bearer.
extension UserFacingError {
    static func noToken(
        _ host: DisplayText, _ page: HTTPSAddress?, _ verb: DisplayText, _ isTyped: Bool
    ) -> ErrorText {
        let command: DisplayText = "git credential-gitspace \(verb) \(word: host) --with-token"
        return isTyped
            ? ErrorText(
                Message("no token was entered"), newToken(page) + [Message("then paste it:"), .command(command)])
            : ErrorText(
                Message("no token on standard input"),
                newToken(page) + [Message("then pass it:"), .command("\(command) <token.txt")])
    }

    /// Where a person makes a token.
    static func newToken(_ page: HTTPSAddress?) -> [Message] {
        page.map { [Message("create a token here:"), .command("\($0)")] } ?? []
    }

    static func tokenOwnerUnknown(_ host: DisplayText, _ permissions: DisplayText?) -> ErrorText {
        ErrorText(
            Message("%1$s did not say whose token this is; nothing was stored", host),
            permissions.map { [Message("the token needs these permissions: %1$s", $0)] } ?? [])
    }

    static func tokenNeeded(_ host: DisplayText, _ page: HTTPSAddress?) -> ErrorText {
        ErrorText(
            Message("gitspace cannot sign in to %1$s; it can only store a token that you create there", host),
            newToken(page)
                + [Message("store it with:"), .command("git credential-gitspace setup \(word: host) --with-token")])
    }

    static func tokenNeedsAccount(_ host: DisplayText) -> ErrorText {
        ErrorText(
            Message("the token for %1$s needs an account name", host),
            [
                Message("add the name to the host:"),
                .command("git credential-gitspace setup https://NAME@\(word: host)"),
            ])
    }

    static func recognized(_ kind: RecognizedHost, _ host: DisplayText) -> ErrorText {
        let (name, provider): (DisplayText, DisplayText) =
            switch kind {
            case .gitHub: ("GitHub", "github")
            case .gitLab: ("GitLab", "gitlab")
            case .tokens(.gitea): ("Gitea", "none")
            case .tokens(.forgejo): ("Forgejo", "none")
            case .tokens: ("Bitbucket", "none")
            }
        return ErrorText(
            Message("%1$s looks like a %2$s server, but its provider is not set", host, name),
            [
                Message("if you trust it, set its provider and set it up:"),
                .command(
                    "git config --global \(word: "credential.https://\(host).provider" as DisplayText) \(provider)"),
                .command("git credential-gitspace setup \(word: host)"),
            ])
    }

    static func gitLacksAuthtype(_ host: DisplayText) -> ErrorText {
        ErrorText(
            Message("%1$s is set to use Bearer tokens, which this git cannot send", host),
            [Message("use git 2.46 or newer")])
    }
}
