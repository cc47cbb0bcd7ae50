package import CredentialCore
internal import Providers

/// If a code expires before a person has approved it, a new one is shown.
struct Approval {
    private let flow: DeviceFlow
    private let context: SignInContext
    private let dependencies: Dependencies
    private let isExplicit: Bool

    /// After the third, nobody is there.
    private static let mostCodes = 3

    /// In milliseconds, usually; a poll with less time left is not worth sending.
    private static let answerTime: Int64 = 2_000

    init(_ flow: DeviceFlow, _ context: SignInContext, with dependencies: Dependencies, isExplicit: Bool) {
        self.flow = flow
        self.context = context
        self.dependencies = dependencies
        self.isExplicit = isExplicit
    }

    func token() throws(SignInError) -> TokenResponse {
        defer { dependencies.ui.dismissPrompt() }
        for number in 1...Self.mostCodes {
            let authorization = try requestCode()
            let end = dependencies.clock.uptimeMilliseconds + authorization.expiresIn * 1_000
            let (name, host) = names(for: authorization)
            dependencies.ui.show(
                SignInPrompt(
                    providerName: name, host: host,
                    askedAccount: askedAccount, authorization: authorization,
                    end: end,
                    isRenewal: number > 1, isExplicit: isExplicit))
            if let token = try wait(for: authorization, until: end) { return token }
        }
        throw .expired
    }

    /// Seconds for which a person is left without a code.
    private static let longestPause: Int64 = 120

    /// Waits where the server asks for that.
    private func requestCode() throws(SignInError) -> DeviceAuthorization {
        var left = Self.longestPause
        while true {
            do throws(SignInError) {
                return try flow.requestCode()
            } catch .busy(let seconds) where max(1, seconds) <= left {
                let pause = max(1, seconds)
                left -= pause
                dependencies.ui.say(.serverIsBusy(host: context.host.displayName, seconds: pause))
                try rest(pause * 1_000, until: nil)
            }
        }
    }

    private var askedAccount: AskedAccount? {
        guard let name = context.username, !name.isEmpty else { return nil }
        return context.host.provider.isAccountName(name) ? .named(DisplayText(untrusted: name)) : .another
    }

    /// The host is that of the page, if it is another server's.
    private func names(for authorization: DeviceAuthorization) -> (name: DisplayText, host: DisplayText) {
        let page = authorization.verificationURI
        guard context.host.provider.issuesElsewhere, !page.isSameOrigin(as: context.host.origin) else {
            return (context.host.provider.displayName, context.host.displayName)
        }
        return (context.host.displayName, DisplayText(trusted: page.authority))
    }

    /// Never after the code has expired on the person's screen.
    ///
    /// A poll that would come later is not sent, and one that is in progress then is given up. The server's clock may
    /// let the code expire a little later than ours; a person who approves in that moment is shown a new code.
    ///
    /// - Returns: nil if the code has expired, according to the server or to our own clock.
    private func wait(
        for authorization: DeviceAuthorization, until end: Int64
    ) throws(SignInError) -> TokenResponse? {
        var polling = Polling(interval: authorization.interval)
        while let pause = polling.wait(within: left(until: end) - Self.answerTime) {
            try rest(pause, until: end)
            switch try flow.poll(authorization, &polling, deadline: end) {
            case .approved(let token): return token
            case .expired: return nil
            case .waiting: continue
            case .postponed(let status):
                // Until then, nothing that the person does would be noticed, and a request for a new code would be
                // rejected as well.
                guard polling.wait(within: left(until: end) - Self.answerTime) != nil else {
                    throw .unavailable(status: status)
                }
            }
        }
        try rest(left(until: end), until: end)
        return nil
    }

    private func left(until end: Int64) -> Int64 { end - dependencies.clock.uptimeMilliseconds }

    private func rest(_ milliseconds: Int64, until end: Int64?) throws(SignInError) {
        guard milliseconds > 0 else { return }
        switch dependencies.ui.wait(milliseconds: milliseconds, until: end) {
        case .elapsed: return
        case .cancelled: throw .cancelled
        case .abandoned: throw .abandoned
        case .unanswered: throw .unanswered
        case .unreachable: throw .unreachable
        }
    }
}

/// What the wrong account has approved is dropped here, and must not stay valid elsewhere.
///
/// This is the only revocation that nobody asks for. Whether it succeeds changes nothing else.
struct ApprovalRevocation {
    private let context: SignInContext
    private let dependencies: Dependencies

    /// For all of it, in milliseconds.
    private static let longest: Int64 = 5_000

    init(_ context: SignInContext, with dependencies: Dependencies) {
        self.context = context
        self.dependencies = dependencies
    }

    /// Not if the account of the token's owner is stored here as well: a server may end all tokens of an app and an
    /// account at once.
    func run(_ token: TokenResponse, of answer: AccountAnswer, at client: OAuthClient) {
        // At an OpenID server, a refresh token stands for the person's session, and perhaps for their others.
        let refreshToken = context.host.provider.issuesElsewhere ? nil : token.refreshToken
        let grant = RevocableGrant(accessToken: token.accessToken, refreshToken: refreshToken, client: client)
        guard !mayBeStored(answer) else { return }
        let transport = BoundTransport(
            dependencies.transport(context.transport), until: dependencies.clock.uptimeMilliseconds + Self.longest)
        let outcome = context.host.provider.revoke([grant], on: context.host, over: transport)
        dependencies.trace { "the token of another account was dropped; its revocation: \(outcome)" }
    }

    /// Nothing is unlocked to find that out.
    private func mayBeStored(_ answer: AccountAnswer) -> Bool {
        let anyUsername = context.host.provider.anyUsername
        guard case .accepted(let names) = answer else { return isStored(nil) { _ in true } }
        // git's cache finds an account by its name alone.
        return ([nil] + names.map { Array($0.utf8) }).contains { user in
            isStored(user) { answer.isOwner($0) || ASCII.equalsIgnoringCase($0, anyUsername) }
        }
    }

    private func isStored(_ user: [UInt8]?, where isIt: ([UInt8]) -> Bool) -> Bool {
        let query = context.credentialContext.everything(user: user)
        let lookup = Lookup(with: dependencies)
        guard let stored = try? lookup.readable(query, unless: { _, _ in true }) else { return true }
        return stored.found.contains { isIt($0.credential.username) }
            || stored.locked.contains { isIt($0.attributes.user ?? []) }
    }
}

/// All of them end at one time.
private final class BoundTransport: Transport {
    private let transport: any Transport
    private let deadline: Int64

    init(_ transport: any Transport, until deadline: Int64) {
        self.transport = transport
        self.deadline = deadline
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        var request = request
        request.deadline = deadline
        return try transport.send(request)
    }
}

/// What a hint has to know for its command to work as it stands.
package struct SignInAgain: Equatable {
    /// Nil if the name is unknown.
    package let account: DisplayText?
    /// By a token that the person creates, because there is no client ID to sign in with.
    package let isByToken: Bool

    package init(account: DisplayText?, isByToken: Bool = false) {
        self.account = account
        self.isByToken = isByToken
    }
}

extension SignInContext {
    /// The username is nil if unknown.
    package func signInAgain(as username: [UInt8]?) -> SignInAgain {
        // That name stands for an unknown one; no account is called that.
        let known = username.flatMap {
            $0.elementsEqual(host.provider.anyUsername.utf8) ? nil : DisplayText(untrusted: $0)
        }
        // A host without a page for apps cannot tell whose a token is either, and then no token can be entered.
        let takesToken = !needsNoPerson && host.provider.registration(of: .oauthApp, on: host) != nil
        return SignInAgain(account: known, isByToken: clientID == nil && takesToken)
    }
}

package enum Scopes {
    /// Separated by commas; nil if nothing is missing.
    ///
    /// The granted ones are separated by spaces. GitHub Apps have no scopes, and get an empty list. Some scopes include
    /// others.
    package static func missing(
        in granted: String, of asked: String, including included: [String: [String]]
    ) -> String? {
        let names = granted.split(separator: " ").map(String.init)
        guard !names.isEmpty else { return nil }
        let all = Set(names + names.flatMap { included[$0] ?? [] })
        // `offline_access` requests a refresh token, which is there or not; it is not a permission.
        let missing = asked.split(separator: " ").filter { !all.contains(String($0)) && $0 != "offline_access" }
        return missing.isEmpty ? nil : missing.joined(separator: ", ")
    }
}
