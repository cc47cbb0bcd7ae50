package import CredentialCore
internal import Messages
package import Providers

/// By the host's word, whatever name the token is stored under.
///
/// git stores what stood in a URL, and so under a name that anybody may have written.
package enum TokenStanding: Equatable {
    /// What the host calls the owner; nil if it does not tell.
    case accepted(owner: DisplayText?)
    case otherAccount(owner: DisplayText)
    /// Stored under the name that stands for nobody, but not by us: whose it is, the person has not said.
    case unclaimed(owner: DisplayText?)
    case rejected
    /// Nobody can tell just now.
    case unknown
    /// Ctrl-C, or git is gone.
    case interrupted

    /// The only comparison of a stored account with its host's answer.
    ///
    /// `anyUsername` stands for nobody on this host, if there is one.
    package init(_ answer: AccountAnswer, about credential: StoredCredential, anyUsername: String?) {
        switch answer {
        case .rejected: self = .rejected
        case .unknown: self = .unknown
        case .interrupted: self = .interrupted
        case .accepted(let names):
            let name = names.first.flatMap { $0 == anyUsername ? nil : $0 }
            let owner = name.map { DisplayText(untrusted: $0.utf8, longest: 255) }
            if let anyUsername, ASCII.equalsIgnoringCase(credential.username, anyUsername) {
                self = credential.grant == nil ? .unclaimed(owner: owner) : .accepted(owner: owner)
            } else if names.isEmpty || answer.isOwner(credential.username) {
                self = .accepted(owner: owner)
            } else {
                self = .otherAccount(owner: owner ?? DisplayText(untrusted: (anyUsername ?? "").utf8))
            }
        }
    }
}

extension AccountAnswer {
    /// No host tells names apart by the case of ASCII letters.
    package func isOwner(_ username: [UInt8]) -> Bool {
        guard case .accepted(let names) = self else { return false }
        return names.contains { ASCII.equalsIgnoringCase(username, $0) }
    }

    /// Nil if the token is another account's, or if the host does not tell.
    ///
    /// The account is asked for in a spelling by which git finds the token again; nil for any.
    package func username(asked: [UInt8]?) -> [UInt8]? {
        guard case .accepted(let names) = self, let name = names.first else { return nil }
        guard let asked else { return Array(name.utf8) }
        return isOwner(asked) ? asked : nil
    }

    /// As the host calls the owner; nil if it does not tell.
    package var owner: DisplayText? {
        guard case .accepted(let names) = self else { return nil }
        return names.first.map { DisplayText(untrusted: $0.utf8) }
    }
}

extension SignInContext {
    /// The server is looked up, unless no client has got the token.
    package func standing(of credential: StoredCredential, with dependencies: Dependencies) -> TokenStanding {
        var server: SignInServer?
        if credential.grant?.clientID != nil {
            do {
                server = try self.server(with: dependencies)
            } catch {
                if error.isInterruption { return .interrupted }
            }
        }
        return standing(of: credential, at: server, with: dependencies)
    }

    /// The server is nil if it is not known.
    package func standing(
        of credential: StoredCredential, at server: SignInServer?, with dependencies: Dependencies
    ) -> TokenStanding {
        let answer = host.provider.account(
            of: credential.revocable(at: server), over: dependencies.transport(transport))
        return TokenStanding(answer, about: credential, anyUsername: host.provider.facts.anyUsername)
    }
}
