package import CredentialCore

/// Answers the process of one connection, which asks before each exchange with a host and reports its end.
///
/// Its client may have made up what it says. It gets no token for anything that the share does not allow, and every
/// exchange that got a token is in the log: with its end, or as uncertain if the process never reports one.
package final class GatewayResponder {
    private let policy: GatewayPolicy
    private let responder: ShareResponder
    /// The exchange that got the last token, until its end is reported.
    private var pending: GatewayIntention?
    /// The digests of the tokens that it was given last, by host.
    private var given: [[UInt8]: [UInt8]] = [:]

    package init(under policy: GatewayPolicy, _ responder: ShareResponder) {
        self.policy = policy
        self.responder = responder
    }

    deinit { end() }

    /// The process has ended, or is about to be stopped.
    package func end() {
        if let pending { responder.log(.ended(pending, nil)) }
        pending = nil
    }

    /// The answer to a message that needs no decision; nil for a request for a token, which may take long.
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
        // The last exchange was never reported.
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
