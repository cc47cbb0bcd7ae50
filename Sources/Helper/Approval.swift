internal import CredentialCore
internal import OAuth

/// Shows a code and waits until a person has approved it, with a new code when one expires.
struct Approval {
    private let flow: DeviceFlow
    private let context: SignInContext
    private let dependencies: Dependencies

    /// How many codes one sign-in may use: after the third, nobody is there.
    private static let mostCodes = 3

    init(_ flow: DeviceFlow, _ context: SignInContext, with dependencies: Dependencies) {
        self.flow = flow
        self.context = context
        self.dependencies = dependencies
    }

    /// The token that the person's approval brings.
    func token() throws(DeviceFlowError) -> TokenResponse {
        defer { dependencies.ui.dismissPrompt() }
        for number in 1...Self.mostCodes {
            let authorization = try flow.requestCode()
            let end = dependencies.clock.uptimeMilliseconds + authorization.expiresIn * 1_000
            dependencies.ui.show(
                SignInPrompt(
                    providerName: context.host.provider.displayName, host: context.host.displayName,
                    askedAccount: context.username.map { DisplayText($0) }, authorization: authorization,
                    end: end,
                    isRenewal: number > 1))
            if let token = try wait(for: authorization, until: end) { return token }
        }
        throw .expired
    }

    /// Polls until the answer is there.
    ///
    /// - Returns: nil if the code has ended. Our own clock ends it too, with a margin: where clocks run fast the
    ///   server's word comes later, and is the better one.
    private func wait(
        for authorization: DeviceAuthorization, until end: Int64
    ) throws(DeviceFlowError) -> TokenResponse? {
        var polling = Polling(interval: authorization.interval)
        while dependencies.clock.uptimeMilliseconds < end + polling.wait {
            switch dependencies.ui.wait(milliseconds: polling.wait, until: end) {
            case .elapsed: break
            case .cancelled: throw .cancelled
            case .abandoned: throw .abandoned
            case .unanswered: throw .unanswered
            case .unreachable: throw .unreachable
            }
            switch try flow.poll(authorization, &polling) {
            case .approved(let token): return token
            case .expired: return nil
            case .waiting: continue
            }
        }
        return nil
    }
}
