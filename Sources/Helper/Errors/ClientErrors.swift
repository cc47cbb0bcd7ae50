package import CredentialCore
package import Providers

/// Errors of a client ID that is missing, rejected, or could not be registered or saved.
extension UserFacingError {
    package static func noClientID(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .noClientID, Message("cannot sign in to %1$s: no OAuth client ID is configured", host),
            [
                Message(
                    "you can also enter a personal access token at git's password prompt; gitspace stores it"),
                Message("to register an app or paste a token, run in a terminal:"),
                .command("git credential-gitspace setup \(word: host)"),
            ])
    }

    package static func clientRefused(
        host: DisplayText, clientID: DisplayText, _ code: OAuthErrorCode
    ) -> UserFacingError {
        UserFacingError(
            .clientRefused,
            Message(
                "%1$s rejected the client ID %2$s or its secret (%3$s); the stored token was kept", host, clientID,
                code.name),
            [
                Message("check the configured values:"),
                .command("git config --global --get-regexp 'credential\\..*oauthclient'"),
            ])
    }

    package static func nobodyToAsk(host: DisplayText, because setting: DisplayText?) -> UserFacingError {
        UserFacingError(
            .nobodyToAsk,
            setting.map { Message("cannot ask for a client ID: %1$s prevents it", $0) }
                ?? Message("there is no terminal to ask for a client ID"),
            [
                Message("once the app is registered, pass its client ID:"),
                .command("git credential-gitspace setup \(host) --client-id ID"),
            ])
    }

    package static func noRegistrationPage(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .nobodyToAsk, Message("gitspace does not know where to register such an app on %1$s", host),
            [
                Message("register it as the host's documentation describes, then pass its client ID:"),
                .command("git credential-gitspace setup \(word: host) --client-id ID"),
            ])
    }
}
