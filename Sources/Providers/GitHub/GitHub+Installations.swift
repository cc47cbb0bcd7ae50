internal import CredentialCore

/// The tokens of an app's installations, which GitHub tells from others by how they begin.
extension GitHub {
    static func isInstallations(_ token: Secret) -> Bool { token.reveal { $0.starts(with: "ghs_".utf8) } }

    /// "List repositories accessible to the app installation": of them, one is enough.
    func installationAccount(
        of token: Secret, on host: SignInHost, over transport: any Transport
    ) -> AccountAnswer {
        let address = api("/installation/repositories?per_page=1", of: host)
        do {
            switch try transport.send(request(address, token: token)).status {
            case 200: return .accepted(names: [anyUsername])
            case 401: return .rejected
            default: return .unknown
            }
        } catch {
            return error == .interrupted ? .interrupted : .unknown
        }
    }

    /// "Revoke an installation access token", which a token can ask for itself alone.
    func revokeInstallations(
        _ tokens: [Secret], on host: SignInHost, over transport: any Transport
    ) -> RevocationOutcome {
        for token in tokens {
            var request = request(api("/installation/token", of: host), token: token)
            request.method = .delete
            do {
                let status = try transport.send(request).status
                // One that is rejected is revoked already.
                guard status == 204 || status == 401 else { return .refused(status: status) }
            } catch {
                return .failed(error)
            }
        }
        return .accepted
    }
}
