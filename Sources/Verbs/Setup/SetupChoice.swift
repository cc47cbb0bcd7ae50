internal import CredentialCore
internal import Helper
internal import Providers

/// The choice of a way to sign in without a client ID and without a token.
extension SetupSignIn {
    enum Way {
        case register(AppKind)
        /// A client ID that somebody else has registered.
        case client(String)
        case token
    }

    /// The shortest client ID in bytes: those of all hosts are longer, and mistyped text is shorter.
    private static let shortestClientID = 8

    /// Shows the ways to sign in to the host with their costs, and asks for one.
    func chosenWay(_ context: SignInContext) throws(OperationFailure) -> Way {
        let provider = context.host.provider
        var ways: [(way: Way, lines: [Message])] = []
        for kind in AppKind.allCases {
            if let form = provider.registration(of: kind)?.form { ways.append((.register(kind), form.costs)) }
        }
        ways.append(
            (
                .token,
                [
                    Message("Personal access token: create one, and another when it expires"),
                    provider.page(.newFineGrainedToken) == nil
                        ? Message("You choose what it may do.")
                        : Message("Fine-grained for the repositories that you choose, or classic for all of them."),
                ]
            ))
        outside.say(Message("How do you want to sign in to %1$s?", context.host.displayName))
        for (number, way) in zip(1..., ways) {
            for (mark, line) in zip(["  \(number) ", "    "] as [DisplayText], way.lines) {
                outside.say(.marked(mark, line))
            }
        }
        outside.say(
            provider.registration(of: .oauthApp)?.form == .gitLabApplication
                ? Message(
                    "An Application ID that is registered already, such as your company's, can be pasted instead.")
                : Message("A client ID that is registered already, such as your company's, can be pasted instead."))
        let question = ways.count == 2 ? Message("1 or 2? [1] ") : Message("1, 2 or 3? [1] ")
        while true {
            guard let answer = outside.questions.ask(question) else { throw .known }
            if let number = answer.isEmpty ? 1 : Int(answer), ways.indices.contains(number - 1) {
                return ways[number - 1].way
            }
            let isToken = provider.page(revoking: Secret(Array(answer.utf8))) != nil
            if answer.utf8.count >= Self.shortestClientID, ClientRegistration.isSound(answer), !isToken {
                return .client(answer)
            }
        }
    }
}

extension Registration.Form {
    /// The lines about a way and its costs.
    fileprivate var costs: [Message] {
        switch self {
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
}
