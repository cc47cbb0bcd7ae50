package import CredentialCore
package import Providers

extension UserFacingError {
    /// Returns `nil` if the person or git ended the sign-in, or if the caller has its own words.
    ///
    /// `server` is the one that has answered, by default the git host.
    package static func signIn(
        _ error: SignInError, host: DisplayText, at server: DisplayText? = nil, clientID: DisplayText,
        form: Registration.Form? = nil
    ) -> UserFacingError? {
        let (server, client) = (server ?? host, Message.client(clientID, form))
        let rightOne = [
            Message("an %1$s works on one host only; set the right one:", Message.clientName(form)),
            .setting(.oauthClientId, of: host, to: form == .gitLabApplication ? "<Application ID>" : "<client ID>"),
        ]
        let again = [Message("try again:"), Message.login(host)]
        let redirect = Message.setting(.oauthRedirectURL, of: host, to: "http://127.0.0.1:<port>/<path>")
        return switch error {
        case .cancelled, .abandoned, .unreachable, .wrongAccount: nil
        case .transport(let error): error.words(host: server)
        case .unknownClient: unusable(Message("%1$s does not recognize the %2$s", server, client)).with(rightOne)
        case .clientOrProofUnknown:
            unusable(Message("%1$s refused the %2$s: it is unknown, or its secret or key is wrong", server, client))
                .with(rightOne)
        case .clientUnknownOrUnproven:
            unusable(
                Message("%1$s refused the %2$s: it is unknown, or it needs a secret", server, client),
                Message(
                    "an %1$s works on one host only; if it is this host's, set its secret:", Message.clientName(form)),
                .setting(.oauthClientSecret, of: host, to: "<secret>"))
        case .deviceFlowUnsupported where form == .gitLabApplication:
            failed(
                Message("%1$s does not offer the device flow for the %2$s", server, client),
                Message("GitLab offers it from 17.3 on; without it, sign in with a personal access token:"),
                .command("git credential-gitspace setup \(word: host) --with-token"))
        case .deviceFlowUnsupported:
            unusable(Message("%1$s does not offer the device flow for the %2$s", server, client)).with(rightOne)
        case .noDeviceFlow:
            failed(
                Message("%1$s has no device flow", server), Message("sign in by the browser:"),
                .setting(.gitspaceFlow, of: host, to: "browser"))
        case .codeFlowUnsupported:
            unusable(
                Message("%1$s does not offer sign-in by the browser for the %2$s", server, client),
                Message("use the device flow:"), .setting(.gitspaceFlow, of: host, to: "device"))
        case .deviceFlowDisabled:
            unusable(
                Message("the device flow is not enabled for this app"),
                Message("its owner needs to tick \"Enable Device Flow\" in the app's settings on %1$s", server))
        case .clientConfidential:
            unusable(
                Message("%1$s refused the %2$s: its app is confidential, or the ID is unknown", server, client),
                Message("untick \"Confidential\" on the app's page, save, and try again:"), .login(host))
        case .clientSecretRejected:
            unusable(
                Message("%1$s knows the %2$s, but rejects its secret", server, client),
                Message("set the right secret:"), .setting(.oauthClientSecret, of: host, to: "<secret>"))
        case .clientSecretWanted:
            failed(
                Message("%1$s requires a secret for the %2$s", server, client),
                Message("its owner can make it a public app (on GitLab: untick \"Confidential\"), or name its secret:"),
                .setting(.oauthClientSecret, of: host, to: "<secret>"))
        case .invalidScope(let scopes):
            unusable(
                Message("the %1$s is not allowed to request all of these scopes: %2$s", client, scopes),
                Message("its owner needs to allow them in the app's settings on %1$s", server))
        case .unverifiedUserEmail:
            failed(
                Message("%1$s requires a verified email address", server),
                Message("verify it on https://%1$s/settings/emails and try again", server))
        case .noRedirect: failed(Message("cannot listen on 127.0.0.1 for the browser's answer")).with(again)
        case .redirectTaken(let port, let holder):
            failed(
                holder.map {
                    Message("cannot listen on port %1$s for the browser's answer: it is in use by %2$s", port, $0)
                }
                    ?? Message(
                        "cannot listen on port %1$s for the browser's answer: it is in use by another program", port),
                Message("end that program and try again, or set another address that the client has registered:"),
                redirect)
        case .malformedRedirect(let text):
            failed(
                Message("oauthRedirectURL must be an http URL of 127.0.0.1, [::1] or localhost: %1$s", text),
                Message("set the address that the client has registered:"), redirect)
        case .foreignIssuer(let name):
            failed(
                name.map { Message("another server answered in the browser: %1$s, not %2$s", $0, server) }
                    ?? Message("the answer in the browser does not say that it is from %1$s", server)
            ).with(again)
        case .expired: failed(Message("the code expired before it was approved")).with(again)
        case .invalidGrant: failed(Message("%1$s no longer recognizes this sign-in", server)).with(again)
        case .untrustedIdentity(let error):
            failed(Message("could not verify who signed in to %1$s, so nothing was stored: %2$s", server, error.what))
                .with(error.hints(host: host))
        case .tokenRejected: failed(Message("%1$s rejected the token it has just issued", server)).with(again)
        case .noIDToken:
            failed(
                Message("no ID token came with the sign-in to %1$s, so it does not say whose account it is", server),
                Message("try again, and allow \"openid\" (your identity) on the server's page:"), .login(host))
        case .unavailable(let status, let words):
            failed(
                words.map { Message("%1$s returned a server error (status %2$s): %3$s", server, status, $0) }
                    ?? unavailable(server, status), Message("try again in a few minutes"))
        case .busy(let seconds):
            failed(
                Message("%1$s is busy", server),
                Message("try again in %1$s:", Message.duration(seconds, toWait: true)), .login(host))
        case .unanswered:
            failed(
                Message("the desktop notification was not answered in time"), Message("sign in from a terminal:"),
                .login(host))
        case .declined: failed(Message("the sign-in was declined in the browser"))
        case .refused(let code): failed(Message("%1$s refused the sign-in: %2$s", server, code))
        case .malformedAnswer: failed(Message("%1$s sent an unexpected response", server))
        case .foreignAddress: failed(Message("%1$s sent a sign-in page on another host, so it is not shown", server))
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

    /// The error during the registration, while the person has the app's page at hand.
    package static func registration(
        _ error: SignInError, host: DisplayText, clientID: DisplayText, form: Registration.Form?
    ) -> UserFacingError? {
        guard let words = signIn(error, host: host, clientID: clientID, form: form) else { return nil }
        return switch error {
        case .clientConfidential where form == .giteaApplication:
            unusable(
                words.text,
                Message(
                    "untick \"Confidential Client\" on the app's page on %1$s, and copy the Client ID (not its secret)",
                    host))
        case _ where form == .gitLabApplication && (error == .clientConfidential || error == .unknownClient):
            unusable(
                words.text,
                Message(
                    "untick \"Confidential\" on the app's page on %1$s, and copy the Application ID (not its secret)",
                    host))
        case .deviceFlowUnsupported where form == .gitLabApplication: words
        case .unknownClient, .deviceFlowUnsupported:
            unusable(
                words.text,
                Message("copy the client ID from the app's page on %1$s (not the app's name or App ID)", host))
        case .deviceFlowDisabled:
            unusable(words.text, Message("tick \"Enable Device Flow\" on the app's page on %1$s, then save", host))
        default: words
        }
    }
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

extension IDTokenError {
    /// The error as the end of a sentence.
    fileprivate var what: Message {
        switch self {
        case .signature(let error): error.what
        case .wrongType(let type): Message("the ID token is of another type (%1$s)", type)
        case .malformedClaims: Message("the ID token is malformed")
        case .missing(let claim): Message("the ID token lacks %1$s", DisplayText(trusted: claim.rawValue))
        case .malformed(let claim): Message("the ID token has an invalid %1$s", DisplayText(trusted: claim.rawValue))
        case .wrongIssuer(let name): Message("the ID token is from another issuer (%1$s)", name)
        case .foreignAudience, .foreignAuthorizedParty: Message("the ID token is for another client")
        case .expired, .stale: Message("the ID token has expired")
        case .fromTheFuture: Message("the ID token is not valid yet")
        case .wrongNonce, .wrongAccessToken: Message("the ID token belongs to another sign-in")
        case .unusableAccount: Message("the account's name cannot be used")
        case .noIssuer: Message("the ID token cannot be verified without an issuer")
        case .keysUnavailable: Message("the server's keys could not be fetched")
        case .unusableKeys: Message("the server publishes no keys that can be used")
        }
    }

    fileprivate func hints(host: DisplayText) -> [Message] {
        switch self {
        case .expired, .stale, .fromTheFuture: [Message("check this machine's clock:"), .command("timedatectl")]
        case .keysUnavailable: [Message("try again:"), .login(host)]
        case .noIssuer:
            [Message("name the server that issues the tokens:"), .setting(.oauthIssuer, of: host, to: "<issuer>")]
        case .signature(.refusedAlgorithm):
            [
                Message(
                    "at the server, set the algorithm of the client's ID tokens (id_token_signed_response_alg) to %1$s",
                    DisplayText(trusted: "RS256, PS256, ES256 or EdDSA"))
            ]
        default: []
        }
    }
}

extension JSONWebSignatureError {
    fileprivate var what: Message {
        switch self {
        case .tooLong, .notCompact, .notBase64URL, .malformedHeader, .criticalExtension, .malformedSignature:
            Message("the ID token is malformed")
        case .refusedAlgorithm(let name?): Message("the ID token is signed by %1$s, which is not accepted", name)
        case .refusedAlgorithm(nil): Message("the ID token is not signed")
        case .unknownKey, .ambiguousKey, .unsuitableKey, .invalidKey:
            Message("the ID token is signed by a key that the server does not publish")
        case .wrongSignature: Message("the signature of the ID token is wrong")
        }
    }
}

private func failed(_ text: Message, _ hints: Message...) -> UserFacingError { UserFacingError(.signIn, text, hints) }

private func unusable(_ text: Message, _ hints: Message...) -> UserFacingError {
    UserFacingError(.clientUnusable, text, hints)
}
