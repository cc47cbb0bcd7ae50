internal import Foundation
import StandIn

/// A real OpenID provider, glewlwyd, started by Tests/Support/openid-provider.sh.
///
/// One serves all tests of a process; each test has its own git host, and therefore its own locks and grants.
package final class OpenIDServer: Sendable {
    /// The provider's address: `https://localhost:PORT`.
    package var address: String { server.announcement.address }
    /// The certificate file of the authority that signed the provider's certificate.
    package var authority: String { server.announcement.authority }
    /// The file of the private key that the client `gitspace-jwt` signs with.
    package var key: String { server.announcement.key }

    private let server: RealServer<Announcement>

    private struct Announcement: Decodable {
        let address: String
        let authority: String
        let key: String
    }

    private static let shared = Task { try await OpenIDServer() }

    /// Returns the server; without its packages, returns `nil` and reports a skip.
    package static func running() async throws -> OpenIDServer? {
        guard isAvailable else {
            Skipped.note(
                "a sign-in at a real OpenID provider",
                because: "glewlwyd is not here; packaging/dependencies.sh test fetches it")
            return nil
        }
        return try await shared.value
    }

    /// Whether the provider's packages are installed.
    package static var isAvailable: Bool {
        FileManager.default.fileExists(atPath: BuiltFiles.root + ".build/openid-provider/done")
    }

    private init() async throws { server = try await RealServer([BuiltFiles.script("openid-provider.sh")]) }

    /// The issuer of one of the provider's plugins: `oidc`, `oidcrs` or `oidcshort`.
    package func issuer(_ plugin: String = "oidc") -> String { "\(address)/api/\(plugin)" }

    /// Sends a command to the script.
    ///
    /// - Returns: The script's answer.
    /// - Throws: `NeverHappened` with the reason if the command failed.
    @discardableResult
    package func tell(_ command: String) async throws -> String { try await server.tell(command) }
}
