package import CredentialCore
internal import Providers

/// Runs git's operations.
///
/// Read this file first.
///
/// ① `Request` has checked the bytes of the request. ② `ContextResolver` decides which host it is for, and whether we
/// sign in there. ③ The keyring is searched. ④ A token that is about to expire is refreshed. ⑤ If there is none, a
/// person signs in. ⑥ A new credential is saved. ⑦ The answer goes to git.
package struct CredentialHelper {
    private let dependencies: Dependencies
    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// Returns `Answer.nothing` for all operations but `get`.
    package func answer(_ operation: Operation, _ request: Request) -> Answer {
        let resolver = ContextResolver(with: dependencies)
        let context: CredentialContext
        do {
            context = try resolver.credentialContext(of: request)
            dependencies.trace { "\(operation.rawValue) for \(DisplayText(untrusted: context.host.text))" }
        } catch {
            dependencies.report(.requestRefused(error))
            return .nothing
        }
        switch operation {
        case .get:
            let answer = Get(context: context, request: request, dependencies: dependencies).answer()
            dependencies.trace { "answering with \(answer.outline)" }
            return answer
        case .store: Store(context: resolver.resolved(context), request: request, dependencies: dependencies).run()
        case .erase:
            Erase(
                context: resolver.resolved(context), request: request, dependencies: dependencies,
                requester: dependencies.requester()
            ).run()
        case .capability: break
        }
        return .nothing
    }
}

extension Answer {
    /// The names of attributes without values, for the trace.
    var outline: String {
        switch self {
        case .credential(let credential):
            "username, password"
                + (credential.passwordExpiryUTC == nil ? "" : ", password_expiry_utc")
                + (credential.foreignRefreshToken == nil ? "" : ", oauth_refresh_token")
        case .withoutPassword: "a username alone: the password has expired"
        case .quit: "quit=1"
        case .nothing: "nothing"
        }
    }
}

package enum OperationFailure: Error {
    /// The error is shown to the person, and git must not prompt for a password that cannot help.
    case failed(UserFacingError)
    /// The person can enter a password at git's own prompt, so git may go on.
    case unserved(UserFacingError)
    /// The person knows already: they cancelled, or saw it fail in another window.
    case known
    /// git has ended, and its running parts must not prompt for a password.
    case abandoned

    /// Creates the failure; a person who interrupted the keyring knows it already.
    package init(_ error: KeyringError) { self = error == .interrupted ? .known : .failed(.keyring(error)) }

    package var error: UserFacingError? {
        switch self {
        case .failed(let error), .unserved(let error): error
        case .known, .abandoned: nil
        }
    }
}
