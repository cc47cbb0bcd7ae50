package import CredentialCore
package import Messages
internal import Providers

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

/// Why an operation ends without a credential.
package enum OperationFailure: Error {
    /// Something failed.
    ///
    /// The person is told, and git must not go on to prompt for a password that cannot help.
    case failed(UserFacingError)
    /// Something is missing that a person can enter at git's own prompt, so git may go on.
    case unserved(UserFacingError)
    /// The person already knows: they cancelled, or saw it fail in another window.
    case known
    /// Nobody waits for the answer any more.
    ///
    /// A part of git that is still running must not prompt for a password.
    case abandoned

    /// The failure of a call to the keyring; whoever interrupted it knows.
    package init(_ error: KeyringError) { self = error == .interrupted ? .known : .failed(.keyring(error)) }

    /// The error to show to the person, if any.
    package var error: UserFacingError? {
        switch self {
        case .failed(let error), .unserved(let error): error
        case .known, .abandoned: nil
        }
    }

    /// Whether git may ask other helpers, and then the person.
    package var letsGitGoOn: Bool {
        switch self {
        case .unserved: true
        case .failed, .known, .abandoned: false
        }
    }
}
