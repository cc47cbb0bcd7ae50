package import CredentialCore
internal import OAuth

/// The helper as git sees it: an operation and a request in, an answer out.
///
/// Read this file first.
///
/// ① A request is bytes; `Request` has checked them. ② `ContextResolver` says whose host it is, and whether we sign in there. ③ The
/// keyring is asked. ④ A token that is about to end is refreshed. ⑤ Where there is none, a person signs in. ⑥ What is
/// new is saved. ⑦ The answer goes to git.
package struct CredentialHelper {
    private let dependencies: Dependencies

    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// Does what git asks.
    ///
    /// - Parameters:
    ///   - operation: the last argument on the command line.
    ///   - request: what stood on standard input.
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
    /// What the answer holds, for the trace: names of attributes, no values.
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
