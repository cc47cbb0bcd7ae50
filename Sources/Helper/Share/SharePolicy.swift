package import CredentialCore

/// What a place may have: pure rules, each of which has a test.
package struct SharePolicy {
    /// The place.
    package let place: SharedPlace

    package init(_ place: SharedPlace) { self.place = place }

    /// Seconds for which a token must still be valid; one with less is refreshed first.
    ///
    /// What is handed out cannot be exchanged later: a long clone inside must not outlive its token. As everywhere, a
    /// quarter of the token's lifetime if that is less.
    package static let margin: Int64 = 600

    /// What becomes of a request.
    package enum Verdict {
        /// Closed without an answer: not a request, not for this place, or one that does nothing here.
        case ignored
        /// The host is the place's, but not the account: `quit=1`, so that git inside does not prompt for a password.
        case refused(ShareRefusal, SharedPlace.Host)
        /// The credential of the host is wanted.
        case get(SharedPlace.Host, username: [UInt8]?)
        /// A password has been rejected, says the place.
        case rejected(SharedPlace.Host, Rejection)
    }

    /// The password that a place calls rejected.
    package struct Rejection {
        /// The account; nil if the place does not say.
        package let username: [UInt8]?
        private let password: Secret

        /// What a request names; nil if that is nothing.
        fileprivate init?(_ request: Request) {
            guard let password = request.password else { return nil }
            username = request.username
            self.password = password
        }

        /// Whether it is the password of that credential.
        package func names(_ credential: StoredCredential) -> Bool { password == credential.password }
    }

    /// Whether a process of that user may ask at all: our own, or root, as which rootful containers are seen.
    ///
    /// This keeps other users out, and proves nothing about who is behind it: ssh connects as us for whoever uses it on
    /// the far side.
    package static func admits(user: UInt32, own: UInt32) -> Bool {
        // Whoever has no number in our user namespace has this one: user_namespaces(7), "Unmapped user and group IDs".
        user != 65_534 && (user == own || user == 0)
    }

    /// Judges a request before anything is looked up.
    package func verdict(on bytes: [UInt8]) -> Verdict {
        guard let asked = ShareRequest(parsing: bytes), asked.request.protocol == CredentialContext.https,
            let host = place.host(named: asked.request.host)
        else { return .ignored }
        let username = asked.request.username
        if let only = host.username, let username, username != only {
            return asked.action == .get ? .refused(.otherAccount, host) : .ignored
        }
        switch asked.action {
        case .get: return .get(host, username: username)
        case .store: return .ignored
        case .erase:
            guard let rejection = Rejection(asked.request) else { return .ignored }
            return .rejected(host, rejection)
        }
    }

    /// Whether the place may have a credential that was found for the host.
    ///
    /// - Parameters:
    ///   - credential: the only one that comes into question.
    ///   - username: the account that was asked for; nil for any.
    ///   - host: whose it is.
    /// - Returns: why not; nil if it may.
    package func refusal(
        of credential: StoredCredential, askedAs username: [UInt8]?, on host: SharedPlace.Host
    ) -> ShareRefusal? {
        guard [host.username, username].allSatisfy({ $0 == nil || $0 == credential.username }) else {
            return .otherAccount
        }
        // Such a credential has no name and no password that git's cache could print.
        guard credential.authtype == nil else { return .notAPassword }
        guard place.isLongLived || !credential.isEndless else { return .doesNotExpire }
        return nil
    }

    /// Whether a credential is handed out as it is.
    package func isFresh(_ credential: StoredCredential, at now: Int64) -> Bool {
        credential.isFresh(at: now, margin: Self.margin)
    }
}

extension StoredCredential {
    /// Whether it is valid until somebody revokes it.
    ///
    /// A grant without its access token has one that has expired, by its own word.
    fileprivate var isEndless: Bool { passwordExpiryUTC == nil }
}

/// Why a place did not get a credential: for the log and the person here, never for the place.
package enum ShareRefusal: Error, Equatable {
    /// It asked for another account than its own.
    case otherAccount
    /// No account is signed in.
    case notSignedIn
    /// The token does not expire, and the place may not have such tokens.
    case doesNotExpire
    /// git would have to send it in another scheme.
    case notAPassword
    /// The token has expired, and could not be refreshed.
    case expired
    /// The person said no.
    case denied
    /// The person did not answer.
    case unanswered
    /// The person said no, or nothing, less than ten minutes ago.
    case silenced
    /// The screen is locked.
    case locked
    /// Nobody can be asked: there is no notification service with buttons.
    case nobodyToAsk
    /// The keyring did not answer as it should.
    case keyring(KeyringError)
    /// git's configuration cannot be read.
    case configuration
}
