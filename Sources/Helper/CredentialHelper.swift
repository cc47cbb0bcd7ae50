package import CredentialCore
internal import Messages
internal import OAuth

/// The credential helper as git sees it: it gets an operation and a request, and returns an answer.
///
/// Read this file first.
///
/// ① `Request` has checked the bytes of the request. ② `ContextResolver` decides which host it is for, and whether we
/// sign in there. ③ The keyring is searched. ④ A token that is about to expire is refreshed. ⑤ If there is none, a
/// person signs in. ⑥ What is new is saved. ⑦ The answer goes to git.
package struct CredentialHelper {
    private let dependencies: Dependencies

    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// Runs an operation for git.
    ///
    /// - Parameters:
    ///   - operation: the last argument on the command line.
    ///   - request: what was read from standard input.
    /// - Returns: the answer; `Answer.nothing` for everything but `get`.
    package func answer(_ operation: Operation, _ request: Request) -> Answer {
        let context: CredentialContext
        do {
            context = try ContextResolver(with: dependencies).credentialContext(of: request)
            dependencies.trace { "\(operation.rawValue) for \(DisplayText(context.host.text))" }
        } catch {
            dependencies.report(UserFacingError(error))
            return .nothing
        }
        switch operation {
        case .get:
            let answer = Get(context, request, with: dependencies).answer()
            dependencies.trace { "answering with \(answer.outline)" }
            return answer
        case .store: Store(context, request, with: dependencies).run()
        case .erase: Erase(context, request, with: dependencies).run()
        case .capability: break
        }
        return .nothing
    }
}

extension Answer {
    /// The names of the attributes in the answer, without values, for the trace.
    var outline: String {
        switch self {
        case .credential(let credential):
            "username, password"
                + (credential.passwordExpiryUTC == nil ? "" : ", password_expiry_utc")
                + (credential.oauthRefreshToken == nil ? "" : ", oauth_refresh_token")
        case .withoutPassword: "a username alone: the password has expired"
        case .quit: "quit=1"
        case .nothing: "nothing"
        }
    }
}
