internal import CredentialCore

/// The answers to the process of one connection of a gateway, which asks for tokens and tells what has happened.
///
/// What it says may be its client's work: nothing but the host and what is to be done there is used of it, and what it
/// tells goes to the log.
struct GatewayResponder {
    private let policy: GatewayPolicy
    private let responder: ShareResponder
    /// The digests of the tokens that it was given last, by host.
    private var given: [[UInt8]: [UInt8]] = [:]

    init(under policy: GatewayPolicy, _ responder: ShareResponder) {
        self.policy = policy
        self.responder = responder
    }

    /// Nil if none is wanted.
    mutating func answer(
        _ bytes: [UInt8], from peer: SharePeer, arrivedAt arrival: Int64, whileWaiting: () -> Void
    ) -> Secret? {
        guard let message = GatewayMessage(parsing: bytes) else { return nil }
        guard case .wanted(let number, let service, let isRejected) = message else {
            responder.log(message)
            return nil
        }
        guard responder.target.hosts.indices.contains(number), !policy.isReadOnly || service == .uploadPack else {
            return GatewayToken.refusal
        }
        let host = responder.target.hosts[number]
        let rejected = isRejected ? given[host.name] : nil
        guard
            let credential = responder.credential(
                on: host, for: service, rejected: rejected, peer, arrival, whileWaiting)
        else { return GatewayToken.refusal }
        given[host.name] = StoredCredential.digest(of: credential.password)
        let passwords = responder.passwords(on: host)
        return GatewayToken.encoded(credential, proxyPassword: passwords.proxy, keyPassword: passwords.key)
            ?? GatewayToken.refusal
    }
}
