import NIOCore
import NIOHTTP1
import NIOSSL

/// A stand-in for GitHub on loopback: sign-in, refresh, API and git over TLS, and a proxy that leads every host to it.
///
/// ```swift
/// let github = try await StandIn.start()
/// let app = github.register(.gitHubApp(interval: 1))
/// try github.createRepository("acme/private", writers: ["monalisa"])
/// github.nextSignIn(.approve(as: "monalisa", afterPendingPolls: 1))
/// // … run the program with github.environment …
/// #expect(github.count(of: .poll) == 2)
/// ```
/// It stops, and its files vanish, with `stop()` or with the last reference to it. Swift may drop a reference after its
/// last use: a test that has nothing to ask afterwards ends with `await github.stop()`.
package final class StandIn: Sendable {
    /// The authority that clients must be told to trust (PEM).
    package let caFile: String
    let forge: Forge
    private let folder: TemporaryFolder
    let server: Listener
    let proxy: Listener

    /// Makes certificates and repositories' folder, and starts to listen.
    /// - Parameters:
    ///   - certificate: What the server shows; anything but `.valid` must be refused by clients.
    ///   - port: Of the TLS server; 0 lets the system choose.
    ///   - clock: Seconds since 1970, for the expiry of codes and tokens and for the rate of polls.
    /// - Returns: A stand-in that answers already.
    /// - Throws: `StandInError` if openssl or git is missing, NIO's errors if no socket can be had.
    package static func start(
        certificate: ServerCertificate = .valid, port: Int = 0, clock: @escaping @Sendable () -> Double = systemClock
    ) async throws -> StandIn {
        let folder = try TemporaryFolder()
        let certificates = try CertificateFiles(kind: certificate, in: folder)
        let forge = Forge(files: try GitFiles(in: folder), clock: clock)
        return try await StandIn(folder: folder, certificates: certificates, forge: forge, port: port)
    }

    /// Puts a forge on the network.
    private init(folder: TemporaryFolder, certificates: CertificateFiles, forge: Forge, port: Int) async throws {
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(certificates.certificate).map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: certificates.privateKey, format: .pem))))
        let serve: @Sendable (any Channel, String?) throws -> Void = { channel, tunnel in
            let reception = forge.withState { $0.reception }
            switch reception {
            case .served, .plainHTTP: break
            case .silent: return
            case .hungUp: throw StandInError("hung up, as asked")
            }
            let pipeline = channel.pipeline.syncOperations
            if reception == .served { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
            try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
            try pipeline.addHandler(
                Connection(tunnel: tunnel, clock: forge.clock) { forge.respond(to: $0) })
        }
        server = try await Listener(port: port) { try serve($0, nil) }
        proxy = try await Listener { channel in
            let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
            try channel.pipeline.syncOperations.addHandlers([
                decoder,
                ConnectProxy(decoder: decoder, admits: { forge.admitsTunnel(to: $0, headers: $1) }, upgrade: serve),
            ])
        }
        self.folder = folder
        self.forge = forge
        caFile = certificates.authority
    }

    /// Closes every socket and removes every file; harmless when done twice.
    package func stop() async {
        await server.stop()
        await proxy.stop()
        folder.remove()
    }
}
