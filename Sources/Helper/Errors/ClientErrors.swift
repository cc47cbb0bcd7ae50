package import CredentialCore
package import Providers

/// Errors of a client ID that is missing, rejected, or could not be registered or saved.
extension UserFacingError {
    package static func noClientID(host: DisplayText, form: Registration.Form? = nil) -> UserFacingError {
        UserFacingError(
            .noClientID, Message("cannot sign in to %1$s: no %2$s is configured", host, Message.clientName(form)),
            Message("you can also enter a personal access token at git's password prompt; gitspace stores it"),
            Message("to register an app or paste a token, run in a terminal:"),
            .command("git credential-gitspace setup \(word: host)"))
    }

    package static func clientRefused(
        host: DisplayText, clientID: DisplayText, _ code: OAuthErrorCode, form: Registration.Form? = nil
    ) -> UserFacingError {
        UserFacingError(
            .clientRefused,
            Message(
                "%1$s rejected the %2$s or its secret (%3$s); the stored token was kept", host,
                Message.client(clientID, form), code.name), Message("check the configured values:"),
            .command("git config --global --get-regexp 'credential\\..*oauthclient'"))
    }

    package static func nobodyToAsk(
        host: DisplayText, because setting: DisplayText?, form: Registration.Form? = nil
    ) -> UserFacingError {
        UserFacingError(
            .nobodyToAsk,
            setting.map { Message("cannot ask for an %2$s: %1$s prevents it", $0, Message.clientName(form)) }
                ?? Message("there is no terminal to ask for an %1$s", Message.clientName(form)),
            Message("once the app is registered, pass its %1$s:", Message.clientName(form)),
            .command("git credential-gitspace setup \(host) --client-id ID"))
    }

    package static func noRegistrationPage(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .nobodyToAsk, Message("gitspace does not know where to register such an app on %1$s", host),
            Message("register it as the host's documentation describes, then pass its client ID:"),
            .command("git credential-gitspace setup \(word: host) --client-id ID"))
    }
}
