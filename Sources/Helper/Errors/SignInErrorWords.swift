package import CredentialCore
package import Providers

extension SignInError {
    /// Returns `nil` if the person or git ended the sign-in, or if the caller has its own words.
    ///
    /// `server` is the one that has answered, which may differ from the git host.
    package func words(
        host: DisplayText, server: DisplayText, clientID: DisplayText, form: Registration.Form? = nil
    ) -> UserFacingError? {
        let client = Message.client(clientID, form)
        let rightOne = [
            Message("an %1$s works on one host only; set the right one:", Message.clientName(form)),
            .setting(
                .oauthClientId, of: host, to: form == .gitLabApplication ? "<Application ID>" : "<client ID>"),
        ]
        return switch self {
        case .cancelled, .abandoned, .unreachable, .wrongAccount: nil
        case .transport(let error): error.words(host: server)
        case .unknownClient:
            UserFacingError(
                .clientUnusable, Message("%1$s does not recognize the %2$s", server, client), rightOne)
        case .clientOrProofUnknown:
            UserFacingError(
                .clientUnusable,
                Message("%1$s refused the %2$s: it is unknown, or its secret or key is wrong", server, client),
                rightOne)
        case .clientUnknownOrUnproven:
            UserFacingError(
                .clientUnusable, Message("%1$s refused the %2$s: it is unknown, or it needs a secret", server, client),
                [
                    Message(
                        "an %1$s works on one host only; if it is this host's, set its secret:",
                        Message.clientName(form)),
                    .setting(.oauthClientSecret, of: host, to: "<secret>"),
                ])
        case .deviceFlowUnsupported:
            UserFacingError(
                .clientUnusable,
                Message("%1$s does not offer the device flow for the %2$s", server, client),
                rightOne)
        case .noDeviceFlow:
            UserFacingError(
                .signIn, Message("%1$s has no device flow", server),
                [
                    Message("sign in by the browser:"),
                    .setting(.gitspaceFlow, of: host, to: "browser"),
                ])
        case .codeFlowUnsupported:
            UserFacingError(
                .clientUnusable,
                Message("%1$s does not offer sign-in by the browser for the %2$s", server, client),
                [
                    Message("use the device flow:"),
                    .command("git config --global --unset-all \(word: SettingKey.gitspaceFlow.name(on: host))"),
                ])
        case .deviceFlowDisabled:
            UserFacingError(
                .clientUnusable, Message("the device flow is not enabled for this app"),
                [Message("its owner needs to tick \"Enable Device Flow\" in the app's settings on %1$s", server)])
        case .clientConfidential:
            UserFacingError(
                .clientUnusable,
                Message(
                    "%1$s refused the %2$s: its app is confidential, or the ID is unknown", server, client),
                [Message("untick \"Confidential\" on the app's page, save, and try again:"), .login(host)])
        case .clientSecretRejected:
            UserFacingError(
                .clientUnusable, Message("%1$s knows the %2$s, but rejects its secret", server, client),
                [
                    Message("set the right secret:"),
                    .setting(.oauthClientSecret, of: host, to: "<secret>"),
                ])
        case .clientSecretWanted:
            UserFacingError(
                .signIn, Message("%1$s requires a secret for the %2$s", server, client),
                [
                    Message(
                        "its owner can make it a public app (on GitLab: untick \"Confidential\"), or name its secret:"),
                    .setting(.oauthClientSecret, of: host, to: "<secret>"),
                ])
        case .invalidScope(let scopes):
            UserFacingError(
                .clientUnusable,
                Message("the %1$s is not allowed to request all of these scopes: %2$s", client, scopes),
                [Message("its owner needs to allow them in the app's settings on %1$s", server)])
        case .unverifiedUserEmail:
            UserFacingError(
                .signIn, Message("%1$s requires a verified email address", server),
                [Message("verify it on https://%1$s/settings/emails and try again", server)])
        case .noRedirect:
            UserFacingError(
                .signIn, Message("cannot listen on 127.0.0.1 for the browser's answer"),
                Self.again(host))
        case .redirectTaken(let port, let holder):
            UserFacingError(
                .signIn,
                holder.map {
                    Message("cannot listen on port %1$s for the browser's answer: it is in use by %2$s", port, $0)
                }
                    ?? Message(
                        "cannot listen on port %1$s for the browser's answer: it is in use by another program", port),
                [
                    Message("end that program and try again, or set another address that the client has registered:"),
                    Self.settingRedirect(host),
                ])
        case .malformedRedirect(let text):
            UserFacingError(
                .signIn, Message("oauthRedirectURL must be an http URL of 127.0.0.1, [::1] or localhost: %1$s", text),
                [Message("set the address that the client has registered:"), Self.settingRedirect(host)])
        case .foreignIssuer(let name):
            UserFacingError(
                .signIn,
                name.map { Message("another server answered in the browser: %1$s, not %2$s", $0, server) }
                    ?? Message("the answer in the browser does not say that it is from %1$s", server),
                Self.again(host))
        case .expired: UserFacingError(.signIn, Message("the code expired before it was approved"), Self.again(host))
        case .invalidGrant:
            UserFacingError(.signIn, Message("%1$s no longer recognizes this sign-in", server), Self.again(host))
        case .untrustedIdentity(let error):
            UserFacingError(
                .signIn,
                Message("could not verify who signed in to %1$s, so nothing was stored: %2$s", server, error.what),
                error.hints(host: host))
        case .tokenRejected:
            UserFacingError(.signIn, Message("%1$s rejected the token it has just issued", server), Self.again(host))
        case .noIDToken:
            UserFacingError(
                .signIn,
                Message("no ID token came with the sign-in to %1$s, so it does not say whose account it is", server),
                [Message("try again, and allow \"openid\" (your identity) on the server's page:"), .login(host)])
        case .unavailable(let status, let words):
            UserFacingError(
                .signIn,
                words.map { Message("%1$s returned a server error (status %2$s): %3$s", server, status, $0) }
                    ?? Self.unavailable(server, status),
                [Message("try again in a few minutes")])
        case .busy(let seconds):
            UserFacingError(
                .signIn, Message("%1$s is busy; try again in %2$s", server, Message.duration(seconds)),
                [Message("then try again:"), .login(host)])
        case .unanswered:
            UserFacingError(
                .signIn, Message("the desktop notification was not answered in time"),
                [Message("sign in from a terminal:"), .login(host)])
        case .declined: UserFacingError(.signIn, Message("the sign-in was declined in the browser"))
        case .refused(let code): UserFacingError(.signIn, Message("%1$s refused the sign-in: %2$s", server, code))
        case .malformedAnswer: UserFacingError(.signIn, Message("%1$s sent an unexpected response", server))
        case .foreignAddress:
            UserFacingError(.signIn, Message("%1$s sent a sign-in page on another host, so it is not shown", server))
        }
    }

    /// The words for an answer that is not OAuth's, such as a web page.
    private static func unavailable(_ server: DisplayText, _ status: Int) -> Message {
        switch status {
        case 429, 500...: Message("%1$s returned a server error (status %2$s)", server, status)
        case 403: Message("%1$s refused the request (status %2$s)", server, status)
        default: Message("%1$s sent a web page instead of a response (status %2$s)", server, status)
        }
    }

    private static func settingRedirect(_ host: DisplayText) -> Message {
        .setting(.oauthRedirectURL, of: host, to: "http://127.0.0.1:<port>/<path>")
    }

    private static func again(_ host: DisplayText) -> [Message] { [Message("try again:"), .login(host)] }
}

extension Message {
    /// The name that a host's page gives to the ID of a client.
    package static func clientName(_ form: Registration.Form?) -> Message {
        form == .gitLabApplication ? Message("Application ID") : Message("OAuth client ID")
    }

    /// Returns a client ID by its host's name for it, as part of a sentence.
    package static func client(_ id: DisplayText, _ form: Registration.Form?) -> Message {
        form == .gitLabApplication ? Message("Application ID %1$s", id) : Message("client ID %1$s", id)
    }
}

extension Provider {
    /// `nil` if nobody registers client IDs.
    package var clientForm: Registration.Form? { registration(of: .oauthApp)?.form }
}

extension SignInError {
    /// The error during the registration, while the person has the app's page at hand.
    package func registrationWords(
        host: DisplayText, clientID: DisplayText, form: Registration.Form?
    ) -> UserFacingError? {
        guard let words = words(host: host, server: host, clientID: clientID, form: form) else { return nil }
        return switch self {
        case .clientConfidential where form == .giteaApplication:
            UserFacingError(
                .clientUnusable, words.text,
                [
                    Message(
                        "untick \"Confidential Client\" on the app's page on %1$s, and copy the Client ID (not its secret)",
                        host)
                ])
        case _ where form == .gitLabApplication && (self == .clientConfidential || self == .unknownClient):
            UserFacingError(
                .clientUnusable, words.text,
                [
                    Message(
                        "untick \"Confidential\" on the app's page on %1$s, and copy the Application ID (not its secret)",
                        host)
                ])
        case .unknownClient, .deviceFlowUnsupported:
            UserFacingError(
                .clientUnusable, words.text,
                [
                    Message(
                        "copy the client ID from the app's page on %1$s (not the app's name or App ID)", host)
                ])
        case .deviceFlowDisabled:
            UserFacingError(
                .clientUnusable, words.text,
                [
                    Message("tick \"Enable Device Flow\" on the app's page on %1$s, then save", host)
                ])
        default: words
        }
    }
}
