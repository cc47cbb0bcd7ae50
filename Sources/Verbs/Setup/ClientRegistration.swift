internal import CredentialCore
package import Helper
internal import Providers

/// The registration of a person's own client ID: instructions, a trial, and git's configuration.
struct ClientRegistration {
    let context: SignInContext
    let setup: SetupSteps
    /// The kind of app that the person has chosen; the options decide if they have not been asked.
    var kind: AppKind?
    /// A client ID that somebody else has registered.
    var registered: String?
    var mayGoBack = false

    private static let mostAttempts = 5

    private var registration: Registration? {
        context.host.provider.registration(of: kind ?? (setup.options.isGitHubApp ? .gitHubApp : .oauthApp))
    }
    private var host: DisplayText { context.host.displayName }
    private var outside: VerbDependencies { setup.outside }

    /// Registers an app, or first tries a client ID that the person has already.
    ///
    /// - Returns: the client ID that works and was saved, or `nil` if the person goes back.
    func run() throws(OperationFailure) -> String? {
        let typed = setup.options.clientID
        if registered ?? typed == nil { try lead() }
        guard let clientID = try working(registered ?? typed) else { return nil }
        if typed != nil, let old = context.configuration[.oauthClientId], old != clientID {
            outside.say([
                Message("Replaces the %1$s. To have it back:", named(DisplayText(untrusted: old.utf8))),
                .setting(.oauthClientId, of: host, to: "\(word: old)"),
            ])
        }
        try keep(clientID)
        return clientID
    }

    /// Asks for another client ID, unless the host now accepts the refused one; false if the person goes back.
    func replace(_ refused: String) throws(OperationFailure) -> Bool {
        guard let clientID = try working(refused) else { return false }
        if clientID != refused { try keep(clientID) }
        return true
    }

    private func lead() throws(OperationFailure) {
        guard let registration else { throw .failed(.noRegistrationPage(host: host)) }
        // A blank line separates the numbered steps from a numbered choice above.
        if mayGoBack { outside.say(.blank) }
        let page = [Message("1. Open this page, here or on any other device:"), .command("\(registration.page)")]
        outside.say(page + steps(registration))
        guard setup.mayAsk else {
            let prohibition = ContextResolver(with: setup.dependencies).knownProhibition
            throw .failed(
                .nobodyToAsk(
                    host: host, because: setup.options.yes ? "--yes" : prohibition?.setting, form: registration.form))
        }
        // An address of more characters is hard to type on another device.
        if registration.page.text.utf8.count > 80 { outside.questions.showQRCode(of: registration.page) }
        if outside.questions.open(registration.page) { outside.say(Message("The page is opening in your browser.")) }
    }

    private var isApplicationID: Bool { registration?.form == .gitLabApplication }
    private func named(_ clientID: DisplayText) -> Message { .client(clientID, registration?.form) }

    private func question(after last: String?) -> Message {
        guard let last = last.map({ DisplayText(trusted: $0) }) else {
            return isApplicationID ? Message("Application ID: ") : Message("Client ID: ")
        }
        let name = isApplicationID ? Message("Application ID") : Message("Client ID")
        return mayGoBack
            ? Message("%1$s (Enter tries %2$s again, b goes back): ", name, last)
            : Message("%1$s (Enter tries %2$s again): ", name, last)
    }

    /// Returns the first client ID that works, or `nil` if the person goes back.
    private func working(_ first: String?) throws(OperationFailure) -> String? {
        var next = first
        var last: String?
        for attempt in 1... {
            guard let line = next ?? outside.questions.ask(question(after: last)) else { break }
            next = nil
            if mayGoBack, line == "b" { return nil }
            let clientID = line.isEmpty ? last ?? "" : line
            do {
                try check(clientID)
                return clientID
            } catch {
                guard let failure = error.error, failure.code == .clientUnusable, attempt < Self.mostAttempts,
                    setup.mayAsk
                else { throw error }
                setup.dependencies.report(failure)
                if Self.isSound(clientID) { last = clientID }
            }
        }
        throw .known
    }

    private func check(_ clientID: String) throws(OperationFailure) {
        guard Self.isSound(clientID) else {
            throw .failed(
                isApplicationID
                    ? UserFacingError(
                        .clientUnusable, Message("invalid Application ID: it must not be empty or contain spaces"))
                    : .malformedClientID)
        }
        let server = try rethrowing(as: OperationFailure.failed, try context.server(with: setup.dependencies))
        do throws(SignInError) {
            try server.client(id: clientID).tryOut(over: setup.dependencies.transport(context.transport))
        } catch {
            let words = UserFacingError.registration(
                error, host: host, clientID: DisplayText(trusted: clientID), form: registration?.form)
            throw words.map(OperationFailure.failed) ?? .known
        }
    }

    /// No host has spaces in client IDs.
    static func isSound(_ clientID: String) -> Bool {
        !clientID.isEmpty && clientID.utf8.count <= 255 && clientID.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    private func keep(_ clientID: String) throws(OperationFailure) {
        let shown = DisplayText(trusted: clientID)
        do throws(ConfigurationFileError) {
            try setup.keep(.oauthClientId, clientID, for: context.host.name)
        } catch {
            let form = context.host.provider.clientForm
            throw .failed(.clientIDNotKept(error, host: host, clientID: shown, form: form))
        }
        outside.say([
            Message("%1$s accepted the %2$s. It is saved in git's configuration.", host, named(shown)), .blank,
        ])
    }

    // MARK: Words

    private func steps(_ registration: Registration) -> [Message] {
        let redirect = context.redirectAddress(.loopbackAddress)?.registered ?? ""
        let redirectURI = Message.command("  \(DisplayText(trusted: redirect))")
        return switch registration.form {
        case .gitHubOAuthApp:
            [
                Message("2. Tick \"Enable Device Flow\". Any name and URLs will do."),
                Message("3. Register the app and copy its client ID. You do not need a client secret."),
            ]
        case .gitLabApplication:
            [
                Message("2. Choose any name, and enter this redirect URI:"), redirectURI,
                .indented(Message("Untick \"Confidential\", and tick these scopes:")),
                .command("  \(DisplayText(trusted: context.host.provider.facts.scopes.replacing(" ", with: ", ")))"),
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
                Message("4. Install it on the repositories you want to use:"),
                .command(context.host.provider.page(.ownApps).map { "\($0)" } ?? ""),
            ]
        }
    }

    private static func costs(_ form: Registration.Form) -> [Message] {
        switch form {
        case .gitHubOAuthApp:
            [
                Message("OAuth app of your own: register it once, in about two minutes"),
                Message("It reaches all your repositories. Its tokens do not expire."),
            ]
        case .gitHubApp:
            [
                Message("GitHub App of your own: register it once, and install it on repositories"),
                Message("It reaches those that you choose. Its tokens last eight hours and are refreshed."),
            ]
        case .gitLabApplication, .giteaApplication:
            [
                Message("Application of your own: register it once, in about two minutes"),
                Message("It reaches all your repositories. Its tokens expire and are refreshed."),
            ]
        }
    }

    /// Shows the ways to sign in to the host with their costs, and asks for one; `nil` for a token.
    static func chosen(at context: SignInContext, _ setup: SetupSteps) throws(OperationFailure) -> ClientRegistration? {
        let provider = context.host.provider
        let token = [
            Message("Personal access token: create one, and another when it expires"),
            provider.page(.newFineGrainedToken) == nil
                ? Message("You choose what it may do.")
                : Message("Fine-grained for the repositories that you choose, or classic for all of them."),
        ]
        let apps = AppKind.allCases.compactMap { kind in
            provider.registration(of: kind).map { (kind as AppKind?, costs($0.form)) }
        }
        let ways = apps + [(nil, token)]
        setup.outside.say(Message("How do you want to sign in to %1$s?", context.host.displayName))
        for (number, way) in zip(1..., ways) {
            for (mark, line) in zip(["  \(number) ", "    "] as [DisplayText], way.1) {
                setup.outside.say(.marked(mark, line))
            }
        }
        setup.outside.say(
            provider.registration(of: .oauthApp)?.form == .gitLabApplication
                ? Message(
                    "An Application ID that is registered already, such as your company's, can be pasted instead.")
                : Message("A client ID that is registered already, such as your company's, can be pasted instead."))
        let question = ways.count == 2 ? Message("1 or 2? [1] ") : Message("1, 2 or 3? [1] ")
        while true {
            guard let answer = setup.outside.questions.ask(question) else { throw .known }
            if let number = answer.isEmpty ? 1 : Int(answer), ways.indices.contains(number - 1) {
                return ways[number - 1].0.map { Self(context: context, setup: setup, kind: $0, mayGoBack: true) }
            }
            let isToken = provider.page(revoking: Secret(Array(answer.utf8))) != nil
            // The client IDs of all hosts are longer, and mistyped text is shorter.
            if answer.utf8.count >= 8, isSound(answer), !isToken {
                return Self(context: context, setup: setup, registered: answer, mayGoBack: true)
            }
        }
    }
}

extension OAuthClient {
    /// Requests a code, which is then left to expire.
    ///
    /// A server without a device flow gets an invented refresh token: it first checks whether it knows the client.
    func tryOut(over transport: any Transport) throws(SignInError) {
        guard server.deviceAuthorization == nil else {
            _ = try requestCode(over: transport)
            return
        }
        do throws(OAuthFailure) {
            _ = try exchange(.refreshToken(Secret(Array("none".utf8))), over: transport)
        } catch {
            let meaning = error.signInError
            // An error about the token, or about anything else, shows that the client is known.
            if case .refused = error.reason, ![.clientConfidential, .clientSecretRejected].contains(meaning) { return }
            throw meaning
        }
    }
}

extension UserFacingError {
    package static let malformedClientID = UserFacingError(
        .clientUnusable, Message("invalid client ID: it must not be empty or contain spaces"))
}
