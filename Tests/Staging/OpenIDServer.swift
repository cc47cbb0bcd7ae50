internal import Foundation
import StandIn

/// A real OpenID provider, glewlwyd: Tests/Support/openid-provider.sh.
///
/// One serves all tests of a process; each has a git host of its own, and so locks and grants of its own.
package final class OpenIDServer: Sendable {
    /// Where it listens: `https://localhost:PORT`.
    package var address: String { server.announcement.address }
    /// The file of the authority that has signed its certificate.
    package var authority: String { server.announcement.authority }
    /// The file of the private key with which the client `gitspace-jwt` signs.
    package var key: String { server.announcement.key }

    private let server: RealServer<Announcement>

    private struct Announcement: Decodable {
        let address: String
        let authority: String
        let key: String
    }

    private static let shared = Task { try await OpenIDServer() }

    /// The server; nil where its packages are not, which is told as a test that was left out.
    package static func running() async throws -> OpenIDServer? {
        guard isAvailable else {
            Skipped.note(
                "a sign-in at a real OpenID provider",
                because: "glewlwyd is not here; packaging/dependencies.sh test fetches it")
            return nil
        }
        return try await shared.value
    }

    /// Whether its packages are here.
    package static var isAvailable: Bool {
        FileManager.default.fileExists(atPath: BuiltFiles.root + ".build/openid-provider/done")
    }

    private init() async throws { server = try await RealServer([BuiltFiles.script("openid-provider.sh")]) }

    /// The issuer that one of its plugins is: `oidc`, `oidcrs` or `oidcshort`.
    package func issuer(_ plugin: String = "oidc") -> String { "\(address)/api/\(plugin)" }

    /// Has the script do something.
    ///
    /// - Returns: what it answers.
    /// - Throws: `NeverHappened` with the reason why it could not.
    @discardableResult
    package func tell(_ command: String) async throws -> String { try await server.tell(command) }
}
