package import CredentialCore

/// Who is signed in: the device flow does not say, and people change accounts in the browser.
package enum Account {
    /// What the provider said.
    package enum Answer: Equatable {
        /// The account's name.
        case login(String)
        /// The token is good for nothing.
        case rejected
        /// Nobody can tell just now.
        case unknown
        /// Ctrl-C, or git is gone.
        case interrupted
    }

    /// Asks the provider's `/user`.
    ///
    /// - Parameters:
    ///   - token: whose owner is asked for.
    ///   - endpoint: on the API's host of the very host that issued the token.
    ///   - transport: the way.
    /// - Returns: what was learnt; a fault on the way is `.unknown`, and says nothing about the token.
    package static func ask(_ token: Secret, at endpoint: HTTPSAddress, over transport: any Transport) -> Answer {
        let request = HTTPRequest(
            .get, endpoint, authorization: .bearer(token), accept: "application/vnd.github+json")
        let response: HTTPResponse
        do {
            response = try transport.send(request)
        } catch {
            return error == .interrupted ? .interrupted : .unknown
        }
        if response.status == 401 { return .rejected }
        guard response.status == 200, let user = JSONValue(parsing: response.body),
            let login = user["login"]?.string ?? user["username"]?.string, isName(login)
        else { return .unknown }
        return .login(String(decoding: login, as: UTF8.self))
    }

    /// Letters, digits, `-`, `_` and `.`: all that GitHub and GitLab allow, and nothing that a terminal would act on.
    private static func isName(_ login: [UInt8]) -> Bool {
        !login.isEmpty && login.count <= 255
            && login.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ASCII.folded(byte))
                    || "-_.".utf8.contains(byte)
            }
    }
}
