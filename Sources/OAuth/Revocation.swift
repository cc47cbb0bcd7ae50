package import CredentialCore

/// Making the server forget tokens: only where a person has asked for it, never on git's `erase`.
package enum Revocation {
    /// What became of it.
    package enum Outcome: Equatable {
        /// The server has accepted it; GitHub carries it out within minutes, and tells the owner by e-mail.
        case accepted
        /// The server offers no way for us; the person can withdraw the app's access on a page.
        case unsupported
        /// The server did not do it, and the tokens may still be good; its status.
        case refused(status: Int)
        /// A fault on the way; the tokens may still be good.
        case failed(TransportError)
    }

    /// Revokes an access token and the refresh token of the same grant, if there is one, in one call.
    ///
    /// Revoking an access token need not take its refresh token along (RFC 7009, 2.1), so both are named. GitHub's
    /// endpoint is for whoever holds a token, and refuses a request that is authenticated; Enterprise Server has none.
    ///
    /// - Parameters:
    ///   - tokens: all that is to be revoked; each leaves for the host that issued it and no other.
    ///   - host: that host.
    ///   - transport: the way.
    /// - Returns: what became of it.
    package static func send(_ tokens: [Secret], of host: SignInHost, over transport: any Transport) -> Outcome {
        guard host.isBuiltIn, host.provider == .github, host.apiBase.host == "api.github.com" else {
            return .unsupported
        }
        let request = HTTPRequest(
            .post, host.apiBase.appending("/credentials/revoke"), body: .json(body(tokens)),
            accept: "application/vnd.github+json")
        do {
            let response = try transport.send(request)
            return response.status == 202 ? .accepted : .refused(status: response.status)
        } catch {
            return .failed(error)
        }
    }

    /// `{"credentials":["…","…"]}`; tokens are made of characters that JSON takes as they are (`TokenResponse`).
    private static func body(_ tokens: [Secret]) -> Secret {
        var text = Array(#"{"credentials":["#.utf8)
        defer { text.wipe() }
        for (index, token) in tokens.enumerated() {
            text += index == 0 ? [UInt8(ascii: "\"")] : Array(#",""#.utf8)
            token.reveal { text += $0 }
            text.append(UInt8(ascii: "\""))
        }
        text += Array("]}".utf8)
        return Secret(text)
    }
}

extension Secret {
    /// Whether the bytes can stand in a JSON string as they are; a password that a person has typed may not.
    package var isToken: Bool {
        !isEmpty && reveal { $0.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c } }
    }
}
