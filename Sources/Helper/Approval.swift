internal import CredentialCore
internal import Providers

/// ⑤ The person's approval by the device flow or the code flow, depending on the person, the server and this machine.
final class Approval {
    private let client: OAuthClient
    private let signIn: SignIn
    /// The refusal by a process that waits for this sign-in.
    private let cancellation: (any SignInCancellation)?
    /// The browser's connection, which waits for the page to show.
    private var redirect: (any RedirectReceiver)?
    private var said: [Notice] = []

    init(_ client: OAuthClient, for signIn: SignIn) {
        self.client = client
        self.signIn = signIn
        cancellation = signIn.dependencies.signInNotes.cancellation(of: signIn.lockName)
    }

    private var context: SignInContext { signIn.context }
    private var dependencies: Dependencies { signIn.dependencies }

    /// Returns the token response, with the nonce that its ID token must have.
    func token() throws(SignInError) -> (response: TokenResponse, nonce: String?) {
        defer { dependencies.ui.dismissPrompt() }
        let transport = dependencies.transport(context.transport)
        if let endpoint = client.server.authorization, prefersBrowser {
            if let approved = try codeFlow(at: endpoint, over: transport) { return approved }
        } else if context.settings.flow == .browser {
            throw .codeFlowUnsupported
        }
        return (try deviceFlow(over: transport), nil)
    }

    func show(_ result: RedirectResult) {
        redirect?.show(result)
        redirect = nil
    }

    /// Whether the browser is preferred; a person elsewhere types a code more easily than they bring back an address.
    private var prefersBrowser: Bool {
        switch context.settings.flow {
        case .device: false
        case .auto where client.server.deviceAuthorization != nil:
            client.server.checksChallenge && dependencies.ui.opensBrowser
        case .auto, .browser: dependencies.ui.opensBrowser || dependencies.ui.hasTerminal
        }
    }

    private func show(_ page: ApprovalPage, until end: Int64, isRenewal: Bool = false) {
        signIn.show(page, until: end, isRenewal: isRenewal)
        guard let code = page.userCode else { return }
        dependencies.signInNotes.noteCode(
            NotedCode(userCode: code, page: page.address.text, end: end), of: signIn.lockName)
    }

    private func left(until end: Int64) -> Int64 { end - dependencies.clock.uptimeMilliseconds }

    private func rest(_ milliseconds: Int64, until end: Int64?) throws(SignInError) {
        if milliseconds > 0 { _ = try wait(milliseconds, until: end) }
    }

    /// Throws for an outcome that ends the sign-in.
    private func wait(
        _ milliseconds: Int64, until end: Int64?, watching descriptors: [Int32] = []
    ) throws(SignInError) -> WaitOutcome {
        let watched = descriptors + (cancellation.map { [$0.descriptor] } ?? [])
        let outcome = dependencies.ui.wait(milliseconds: milliseconds, until: end, watching: watched)
        if outcome == .elapsed, cancellation?.isRequested == true { throw .cancelled }
        switch outcome {
        case .elapsed, .wantsDeviceCode, .pasted: return outcome
        case .cancelled: throw .cancelled
        case .abandoned: throw .abandoned
        case .unanswered: throw .unanswered
        case .unreachable: throw .unreachable
        }
    }

    // MARK: The code flow

    /// Milliseconds, as long as a device code usually lives.
    private static let pageLifetime: Int64 = 900_000
    /// The most requests, and the milliseconds between them; a server that has taken the code rejects the second one.
    private static let exchanges: (most: Int, pause: Int64) = (3, 1_000)

    /// Returns `nil` if the person wants to enter a code instead.
    private func codeFlow(
        at endpoint: HTTPSAddress, over transport: any Transport
    ) throws(SignInError) -> (response: TokenResponse, nonce: String?)? {
        let offersDeviceCode = client.server.deviceAuthorization != nil && context.settings.flow == .auto
        guard let address = context.redirectAddress(client.server.redirectHost) else {
            throw .malformedRedirect(DisplayText(untrusted: (context.settings.redirectURL ?? "").utf8))
        }
        var (redirect, failure): ((any RedirectReceiver)?, SignInError) = (nil, .noRedirect)
        do throws(SignInError) { redirect = try dependencies.redirect(address) } catch { failure = error }
        let opensBrowser = dependencies.ui.opensBrowser && redirect?.hearsBrowser == true
        guard let redirect, opensBrowser || !offersDeviceCode && dependencies.ui.hasTerminal else {
            guard offersDeviceCode else { throw failure }
            dependencies.trace { "no browser: \(failure)" }
            return nil
        }
        self.redirect = redirect
        let request = AuthorizationRequest(
            by: client, at: endpoint, redirectURI: redirect.redirectURI, account: nameForServer, prompt: prompt)
        let end = dependencies.clock.uptimeMilliseconds + Self.pageLifetime
        show(
            opensBrowser ? .browser(request.page, offersDeviceCode: offersDeviceCode) : .pastedAddress(request.page),
            until: end)
        guard let fields = try answer(to: request, at: redirect, until: end) else {
            self.redirect = nil
            return nil
        }
        let code = try request.code(in: fields)
        dependencies.trace { "the browser came back" }
        var left = Self.exchanges.most
        while true {
            do throws(OAuthFailure) {
                return (try client.exchange(.code(code, of: request), over: transport), request.nonce)
            } catch {
                left -= 1
                guard error.isTransient, left > 0 else { throw error.signInError }
            }
            try rest(Self.exchanges.pause, until: nil)
        }
    }

    /// The prompt parameter, which asks for the choice of an account if the browser may be signed in as another one.
    ///
    /// Without that reason it is left out, because some servers then ask at every sign-in.
    private var prompt: String? {
        if let prompt = context.settings.prompt { return ASCII.isPlain(prompt.utf8, with: "_ ") ? prompt : nil }
        guard client.server.prompts?.contains("select_account") == true, let name = context.askedName,
            let stored = try? context.with(username: nil).stored(with: dependencies),
            // The account is not stored yet; it is another one by the person's request, or beside other accounts.
            signIn.isExplicit || !stored.isEmpty,
            !stored.contains(where: { context.credentialContext.isSameAccount($0.credential.username, name) })
        else { return nil }
        return "select_account"
    }

    /// The account for the server's page.
    ///
    /// A repository's URL may have named it, so only a possible name goes into an address.
    private var nameForServer: String? {
        let facts = context.host.provider.facts
        return context.username.flatMap { facts.isAccountName($0) ? String(decoding: $0, as: UTF8.self) : nil }
    }

    /// Returns the browser's answer, or `nil` if the person wants to enter a code instead.
    private func answer(
        to request: AuthorizationRequest, at redirect: any RedirectReceiver, until end: Int64
    ) throws(SignInError) -> FormFields? {
        while left(until: end) > 0 {
            switch redirect.next(request.isAnswered) {
            case .answer(let fields): return fields
            case .https(let origin): sayOnce(.redirectByHTTPS(origin: origin))
            case .stranger where dependencies.ui.opensBrowser && redirect.hearsBrowser: sayOnce(.strangerRefused)
            case .stranger, nil: break
            }
            switch try wait(left(until: end), until: end, watching: redirect.descriptors) {
            case .wantsDeviceCode: return nil
            case .pasted:
                if let pasted = dependencies.ui.takePasted(),
                    let fields = Self.fields(in: pasted, at: redirect.redirectURI), request.isAnswered(by: fields)
                {
                    return fields
                }
                dependencies.ui.say(.notTheAddress)
            default: break
            }
        }
        throw .expired
    }

    private func sayOnce(_ notice: Notice) {
        guard !said.contains(notice) else { return }
        said.append(notice)
        dependencies.ui.say(notice)
    }

    /// Returns the query's fields, or `nil` for another address than the redirect (RFC 9700, 4.4).
    ///
    /// A browser may have changed the scheme, or left it out of the copied address.
    private static func fields(in address: Secret, at redirectURI: String) -> FormFields? {
        address.reveal { bytes in
            let text = bytes.drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 != UInt8(ascii: "#") }
            let scheme = ["http://", "https://"].first { text.starts(with: $0.utf8) } ?? ""
            // A browser shows a path, even if the address has none.
            let address = redirectURI.dropFirst("http://".count)
            let beginning = address + (address.contains("/") ? "?" : "/?")
            let rest = text.dropFirst(scheme.utf8.count)
            return rest.starts(with: beginning.utf8) ? FormFields(rest.dropFirst(beginning.utf8.count)) : nil
        }
    }

    // MARK: The device flow

    /// The most codes; after the third, no person is there.
    private static let mostCodes = 3
    /// Milliseconds in which a server usually answers; a poll with less time left is not sent.
    private static let answerTime: Int64 = 2_000
    /// The longest wait for a busy server, in seconds, during which the person sees no code.
    private static let longestPause: Int64 = 120

    /// Shows a new code if one expires before a person has approved it.
    private func deviceFlow(over transport: any Transport) throws(SignInError) -> TokenResponse {
        for number in 1...Self.mostCodes {
            let authorization = try requestCode(over: transport)
            let end = dependencies.clock.uptimeMilliseconds + authorization.expiresIn * 1_000
            show(.deviceCode(authorization), until: end, isRenewal: number > 1)
            if let token = try wait(for: authorization, until: end, over: transport) { return token }
        }
        throw .expired
    }

    private func requestCode(over transport: any Transport) throws(SignInError) -> DeviceAuthorization {
        var left = Self.longestPause
        while true {
            do throws(SignInError) {
                return try client.requestCode(over: transport)
            } catch .busy(let seconds) where max(1, seconds) <= left {
                let pause = max(1, seconds)
                left -= pause
                dependencies.ui.say(.serverIsBusy(host: context.host.displayName, seconds: pause))
                try rest(pause * 1_000, until: nil)
            }
        }
    }

    /// Polls until the code expires by our own clock, and gives up a poll that is in progress then.
    ///
    /// The server's code may live a little longer; a person who approves in that moment is shown a new code.
    ///
    /// - Returns: the token response, or `nil` if the code has expired by the server or by our own clock.
    private func wait(
        for authorization: DeviceAuthorization, until end: Int64, over transport: any Transport
    ) throws(SignInError) -> TokenResponse? {
        var polling = Polling(interval: authorization.interval)
        while let pause = polling.wait(within: left(until: end) - Self.answerTime) {
            try rest(pause, until: end)
            switch try client.poll(authorization, &polling, deadline: end, over: transport) {
            case .approved(let token): return token
            case .expired: return nil
            case .waiting: continue
            case .postponed(let status):
                // The pause outlasts this code, and the server would reject a request for a new one, too.
                guard polling.wait(within: left(until: end) - Self.answerTime) != nil else {
                    throw .unavailable(status: status)
                }
            }
        }
        try rest(left(until: end), until: end)
        return nil
    }
}

extension SignIn {
    func show(_ page: ApprovalPage, until end: Int64, isRenewal: Bool) {
        // The shown host is the page's, if it is another server's.
        let (host, party) = (context.host, context.party(page.address))
        dependencies.ui.show(
            SignInPrompt(
                providerName: party == host.displayName ? host.provider.displayName : host.displayName, host: party,
                askedAccount: context.askedName.map { AskedAccount($0, in: context.credentialContext) },
                approval: page, end: end, isRenewal: isRenewal, isExplicit: isExplicit))
    }
}
