package import CredentialCore

/// The answers to one connection of a gateway, whose process asks before each exchange with a host, and tells what has
/// become of it.
///
/// What it says may be its client's work: it gets no token for what the share does not allow, and whatever it got one for
/// is in the log, as done, or as uncertain if it never tells.
package final class GatewayResponder {
    private let policy: GatewayPolicy
    private let responder: ShareResponder
    /// What it got its last token for, until it tells what has become of that.
    private var pending: GatewayIntention?
    /// The digests of the tokens that it was given last, by host.
    private var given: [[UInt8]: [UInt8]] = [:]

    package init(under policy: GatewayPolicy, _ responder: ShareResponder) {
        self.policy = policy
        self.responder = responder
    }

    deinit { end() }

    /// Its process has ended, or is about to be.
    package func end() {
        if let pending { responder.log(.ended(pending, nil)) }
        pending = nil
    }

    /// To what can be answered at once; nil for a question, which may take long.
    package func answer(_ message: GatewayMessage) -> Secret? {
        switch message {
        case .asks: return nil
        case .ended(let outcome):
            if let pending { responder.log(.ended(pending, outcome)) }
            pending = nil
        case .refused(let intention, let rule): responder.log(.refusedRequest(intention, .rule(rule)))
        }
        return GatewayAcknowledgement().encoded
    }

    package func answer(
        _ intention: GatewayIntention, arrivedAt arrival: Int64, whileWaiting: () -> Void
    ) -> Secret {
        // Whoever asks for the next thing without a word about the last one.
        end()
        do throws(ShareRefusal) {
            guard policy.admits(intention), let host = responder.target.host(named: intention.repository.host.text)
            else {
                throw .rule(.notShared)
            }
            let credential = try responder.credential(
                for: intention, on: host, rejected: intention.isRejected ? given[host.name] : nil, arrivedAt: arrival,
                whileWaiting: whileWaiting)
            pending = intention
            given[host.name] = StoredCredential.digest(of: credential.password)
            let passwords = responder.passwords(on: intention.repository.host)
            return GatewayToken.encoded(credential, proxyPassword: passwords.proxy, keyPassword: passwords.key)
                ?? GatewayToken.refusal
        } catch {
            responder.log(.refusedRequest(intention, error))
            return GatewayToken.refusal
        }
    }
}
