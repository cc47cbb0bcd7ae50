internal import CredentialCore
internal import OAuth
internal import Providers

/// Shows a code and waits until a person has approved it; if a code expires, shows a new one.
struct Approval {
    private let flow: DeviceFlow
    private let context: SignInContext
    private let dependencies: Dependencies
    private let isExplicit: Bool

    /// How many codes a sign-in may use: after the third, nobody is there.
    private static let mostCodes = 3

    /// How long a response usually takes, in milliseconds; a poll with less time left is not worth sending.
    private static let answerTime: Int64 = 2_000

    init(_ flow: DeviceFlow, _ context: SignInContext, with dependencies: Dependencies, isExplicit: Bool) {
        self.flow = flow
        self.context = context
        self.dependencies = dependencies
        self.isExplicit = isExplicit
    }

    /// The token that the server issues after the approval.
    func token() throws(DeviceFlowError) -> TokenResponse {
        defer { dependencies.ui.dismissPrompt() }
        for number in 1...Self.mostCodes {
            let authorization = try flow.requestCode()
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

    private var askedAccount: AskedAccount? {
        guard let name = context.username, !name.isEmpty else { return nil }
        return context.host.provider.isAccountName(name) ? .named(DisplayText(name)) : .another
    }

    /// What the person signs in to, and on which host they do it: that of the page, if it is another server's.
    private func names(for authorization: DeviceAuthorization) -> (name: DisplayText, host: DisplayText) {
        let page = authorization.verificationURI
        guard context.host.provider.issuesElsewhere, !page.isSameOrigin(as: context.host.origin) else {
            return (context.host.provider.displayName, context.host.displayName)
        }
        return (context.host.displayName, DisplayText(own: page.authority))
    }

    /// Polls until there is a result, but never after the code has expired on the person's screen.
    ///
    /// A poll that would come later is not sent, and one that is in progress then is given up. The server's clock may
    /// let the code expire a little later than ours; a person who approves in that moment is shown a new code.
    ///
    /// - Returns: nil if the code has expired, according to the server or to our own clock.
    private func wait(
        for authorization: DeviceAuthorization, until end: Int64
    ) throws(DeviceFlowError) -> TokenResponse? {
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

    private func rest(_ milliseconds: Int64, until end: Int64) throws(DeviceFlowError) {
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
