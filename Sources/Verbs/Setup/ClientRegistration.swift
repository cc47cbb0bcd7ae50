internal import CredentialCore
internal import Helper
package import Messages
internal import Providers

/// Guides a person to their own client ID, tries it, and has git keep it.
struct ClientRegistration {
    private let context: SignInContext
    private let setup: SetupRun

    /// How often a client ID that does not work can be corrected.
    private static let mostAttempts = 5

    init(_ context: SignInContext, _ setup: SetupRun) {
        self.context = context
        self.setup = setup
    }

    private var kind: AppKind { setup.options.isGitHubApp ? .gitHubApp : .oauthApp }

    private var registration: Registration? { context.host.provider.registration(of: kind) }

    /// Registers an app, unless the person has its client ID already.
    ///
    /// - Returns: the client ID, which works and is kept.
    func run() throws(OperationFailure) -> String {
        let clientID: String
        if let typed = setup.options.clientID {
            try check(typed)
            sayReplaced(by: typed)
            clientID = typed
        } else {
            clientID = try lead()
        }
        try keep(clientID)
        setup.outside.say(
            Message(
                "%1$s accepted the client ID %2$s. It is saved in git's configuration.", context.host.displayName,
                DisplayText(trusted: clientID)))
        setup.outside.say(.blank)
        setup.configurationHasChanged()
        return clientID
    }

    private func sayReplaced(by clientID: String) {
        let key = "credential.https://\(context.host.displayName.text).oauthClientId"
        guard let old = context.configuration.value("credential", "oauthClientId"), old != clientID else { return }
        setup.outside.say(
            Message("Replaces the client ID %1$s. To have it back:", DisplayText(untrusted: old.utf8)))
        setup.outside.say(.command("git config --global \(word: key) \(word: old)"))
    }

    /// Shows how to get a client ID, and asks for it until it works.
    private func lead() throws(OperationFailure) -> String {
        let host = context.host.displayName
        guard let registration else { throw .failed(.noRegistrationPage(host: host)) }
        // Separates the numbered steps from a numbered choice above.
        setup.outside.say([
            .blank, Message("1. Open this page, here or on any other device:"), .command("\(registration.page)"),
        ])
        setup.outside.say(registration.steps(on: context))
        let prohibition: DisplayText? =
            try setup.options.yes
            ? "--yes"
            : rethrowing(
                as: OperationFailure.failed, try ContextResolver(with: setup.dependencies).prohibition?.setting)
        guard prohibition == nil, setup.outside.questions.canAsk else {
            throw .failed(.nobodyToAsk(host: host, because: prohibition))
        }
        if setup.outside.questions.open(registration.page) {
            setup.outside.say(Message("The page is opening in your browser."))
        }
        var last: String?
        var attempt = 1
        while true {
            let question =
                last.map { Message("Client ID (Enter tries %1$s again): ", DisplayText(trusted: $0)) }
                ?? Message("Client ID: ")
            guard let line = setup.outside.questions.ask(question) else { throw .known }
            let clientID = line.isEmpty ? last ?? "" : line
            do {
                try check(clientID)
                return clientID
            } catch {
                guard let failure = error.error, failure.code == .clientUnusable, attempt < Self.mostAttempts else {
                    throw error
                }
                setup.dependencies.report(failure)
                if Self.isSound(clientID) { last = clientID }
            }
            attempt += 1
        }
    }

    /// Tries a client ID by asking for a code, which is then left to expire; where there are no such codes, by a refresh
    /// token that nobody has issued: a client that is unknown, or confidential, is what a server looks at first.
    private func check(_ clientID: String) throws(OperationFailure) {
        guard Self.isSound(clientID) else { throw .failed(.malformedClientID) }
        let transport = setup.dependencies.transport(context.transport)
        let server = try rethrowing(as: OperationFailure.failed, try context.server(with: setup.dependencies))
        let client = server.client(id: clientID)
        do throws(SignInError) {
            if client.server.deviceAuthorization == nil {
                try Self.tryRefresh(client, transport)
            } else {
                _ = try client.requestCode(over: transport)
            }
        } catch {
            let words = UserFacingError.registration(
                error, host: context.host.displayName, clientID: DisplayText(trusted: clientID),
                form: registration?.form)
            throw words.map(OperationFailure.failed) ?? .known
        }
    }

    private static func tryRefresh(_ client: OAuthClient, _ transport: any Transport) throws(SignInError) {
        do throws(OAuthFailure) {
            _ = try client.exchange(.refreshToken(Secret(Array("none".utf8))), over: transport)
        } catch {
            let meaning = error.signInError
            // What is said of the token, or of anything else, says that the client is known.
            if case .refused = error.reason, ![.clientConfidential, .clientSecretRejected].contains(meaning) { return }
            throw meaning
        }
    }

    /// A client ID contains no spaces, at GitHub or anywhere else.
    private static func isSound(_ clientID: String) -> Bool {
        !clientID.isEmpty && clientID.utf8.count <= 255 && clientID.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    private func keep(_ clientID: String) throws(OperationFailure) {
        let host = context.host
        let files = setup.outside.files
        let key: DisplayText = "credential.https://\(host.displayName).oauthClientId"
        do throws(ConfigurationFileError) {
            try files.set(key.text, to: clientID, in: .global)
            let entries = try files.entries().filter { ["system", "global"].contains($0.scope) }.map(\.entry)
            let configuration = Configuration(entries, for: host.name)
            guard configuration.value("credential", "oauthClientId") == clientID else {
                throw .notTakenUp(try files.path(of: .global))
            }
        } catch {
            throw .failed(.clientIDNotKept(error, key: key, clientID: DisplayText(trusted: clientID)))
        }
    }
}

extension Registration {
    /// What to do on the host's page.
    fileprivate func steps(on context: SignInContext) -> [Message] {
        let redirect = context.redirectAddress(.loopbackAddress)?.registered ?? ""
        let redirectURI = Message.command("  \(DisplayText(trusted: redirect))")
        return switch form {
        case .gitHubOAuthApp:
            [
                Message("2. Tick \"Enable Device Flow\". Any name and URLs will do."),
                Message("3. Register the app and copy its client ID. You do not need a client secret."),
            ]
        case .gitLabApplication:
            [
                Message("2. Choose any name, and enter this redirect URI:"), redirectURI,
                .indented(Message("Untick \"Confidential\", and tick these scopes:")),
                .command("  \(DisplayText(trusted: scopes.replacing(" ", with: ", ")))"),
                Message("3. Save the application and copy its Application ID. You do not need the secret."),
            ]
        case .giteaApplication:
            [
                Message("2. Choose any name, and enter this redirect URI:"), redirectURI,
                .indented(Message("Untick \"Confidential Client\".")),
                Message("3. Create the application and copy its Client ID. You do not need the secret."),
            ]
        case .gitHubApp:
            [
                Message("2. Choose a unique name. Tick \"Enable Device Flow\"."),
                .indented(Message("Keep \"Expire user authorization tokens\" ticked, and the webhook off.")),
                .indented(Message("Repository permissions: Contents and Workflows, both \"Read and write\".")),
                Message("3. Create the app and copy its client ID (not the App ID)."),
                Message("4. Install it on the repositories you want to use:"), .command(ownApps.map { "\($0)" } ?? ""),
            ]
        }
    }
}

extension UserFacingError {
    package static let malformedClientID = UserFacingError(
        .clientUnusable, Message("invalid client ID: it must not be empty or contain spaces"))
}
