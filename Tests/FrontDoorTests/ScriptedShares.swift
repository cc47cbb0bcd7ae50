import CredentialCore
import FrontDoor
import ShareClient

/// Other machines, that answer as a test has it; by default there are none.
final class ScriptedShares: Shares {
    /// What is answered, by the place; none: there is no socket.
    var named: ShareClient.Reply?
    var usual: ShareClient.Reply?
    /// What was asked and told, in order.
    private(set) var calls: [String] = []

    /// A credential that is valid until `expiry`.
    static func credential(_ password: String = "ghu_shared", until expiry: Int64? = nil) -> ShareClient.Reply {
        .credential(
            Answer.Credential(
                username: Array("monalisa".utf8), password: Secret(Array(password.utf8)), passwordExpiryUTC: expiry))
    }

    var isNamed: Bool { named != nil }

    private func reply(_ source: ShareClient.Source) -> ShareClient.Reply? { source == .named ? named : usual }

    func isThere(_ source: ShareClient.Source) -> Bool { reply(source) != nil }

    func get(_: CredentialContext, _ request: Request, from source: ShareClient.Source) -> ShareClient.Reply {
        calls.append("get \(source) \(String(decoding: request.host, as: UTF8.self))")
        return reply(source) ?? .failure(.noSocket)
    }

    func handsOut(_: CredentialContext, _ request: Request, from source: ShareClient.Source) -> Bool {
        calls.append("compare \(source)")
        guard case .credential(let credential)? = reply(source) else { return false }
        return credential.password == request.password
    }

    func reject(_: CredentialContext, _ request: Request, from source: ShareClient.Source) {
        calls.append("reject \(source) \(String(decoding: request.username ?? [], as: UTF8.self))")
    }
}
