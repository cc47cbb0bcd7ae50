/// A stand-in for GitHub, GitLab or Gitea on loopback: sign-in, refresh, API and git over TLS, and a proxy that leads every host to it.
///
/// ```swift
/// let github = try await StandIn.start()
/// let app = github.register(.gitHubApp(interval: 1))
/// try github.createRepository("acme/private", writers: ["monalisa"])
/// github.nextSignIn(.approve(as: "monalisa", afterPendingPolls: 1))
/// // … run the program with github.environment …
/// #expect(github.count(of: .poll) == 2)
/// ```
/// The stand-in stops, and its files are removed, with `stop()` or with the last reference to it. Swift may drop a
/// reference after its last use: a test that uses the stand-in no more after starting a program must end with `await
/// github.stop()`.
package final class StandIn: Sendable {
    /// The file of the authority that clients must trust (PEM).
    package let caFile: String
    let forge: Forge
    private let folder: TemporaryFolder
    let server: Listener
    let proxy: Listener

    /// Makes certificates and the repositories' folder, and starts to listen.
    package static func start(
        _ service: Service = .gitHub, certificate: ServerCertificate = .valid, wantsClientCertificate: Bool = false,
        clock: @escaping @Sendable () -> Double = systemClock
    ) async throws -> StandIn {
        let folder = try TemporaryFolder()
        let forge = Forge(service, files: try GitFiles(in: folder), clock: clock)
        return try StandIn(folder: folder, certificate: certificate, wantsClientCertificate, forge: forge)
    }

    private init(
        folder: TemporaryFolder, certificate: ServerCertificate, _ wantsClientCertificate: Bool, forge: Forge
    ) throws {
        self.folder = folder
        self.forge = forge
        caFile = "\(folder.path)/ca.pem"
        let tls = try TLSContext(
            certificate: certificate.make(authority: caFile), wantsCertificate: wantsClientCertificate)
        let serve = { @Sendable (connection: consuming Connection, tunnel: String?) in
            switch forge.withState({ $0.reception }) {
            case .served: guard (try? connection.startTLS(tls)) != nil else { return }
            case .plainHTTP: break
            case .silent: return _ = connection.stays(for: nil)
            case .hungUp: return
            }
            connection.serve(tunnel: tunnel, clock: forge.clock) { forge.respond(to: $0) }
        }
        server = try Listener { (connection: consuming Connection) in serve(connection, nil) }
        // The proxy: every CONNECT leads to the stand-in itself, so nothing leaves the machine.
        proxy = try Listener { (connection: consuming Connection) in
            guard let target = connection.openTunnel({ forge.refusal(ofTunnel: $0) }) else { return connection.close() }
            serve(connection, target)
        }
    }

    /// Closes all sockets and removes all files; harmless if repeated.
    package func stop() async {
        await server.stop()
        await proxy.stop()
        folder.remove()
    }
}
