import Foundation
package import StandIn

/// A fixture whose host is signed in to as a GitHub App, with a key made for the tests.
package final class AppFixture: Sendable {
    package let fixture: EndToEndFixture
    package let app: InstalledApp
    /// The path of the app's private key.
    package let key: String
    package var github: StandIn { fixture.github }

    /// A key pair in PEM, made once for all tests, since making one takes longer than most tests.
    private static let pair = Result {
        let key = try RunningProgram.run(["openssl", "genrsa", "2048"]).output
        return (key: key, publicKey: try RunningProgram.run(["openssl", "rsa", "-pubout"], input: key).output)
    }

    /// Installs the app for `acme`, and configures git to use it.
    package init(
        git: Git = .system, session kind: Session.Kind = .keyring, settings: String = "", usesPath: Bool = true,
        host: String? = nil
    ) async throws {
        fixture = try await EndToEndFixture(git: git, host: host, session: kind)
        key = fixture.session.home + "/app.pem"
        let pair = try Self.pair.get()
        try pair.key.write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        app = InstalledApp(id: "4711", publicKey: pair.publicKey, installations: [.init(id: 100, owner: "acme")])
        fixture.github.install(app)
        let file = fixture.session.home + "/.gitconfig"
        let old = try String(contentsOfFile: file, encoding: .utf8)
            .replacing("oauthClientId = \(fixture.app.clientID)", with: "")
        let lines = """
            [credential "https://\(fixture.host)"]
            githubAppId = 4711
            githubAppKey = \(key)
            \(usesPath ? "useHttpPath = true" : "")
            \(settings)

            """
        try (old + lines).write(to: file)
    }

    /// The access tokens that installations have received, oldest first.
    package var tokens: [String] { github.tokens.filter { $0.installation != nil }.map(\.accessToken) }
}
