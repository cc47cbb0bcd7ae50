internal import CredentialCore
internal import CurlTransport
internal import Providers
internal import Share
internal import System

extension CompositionRoot {
    /// The whole of a gateway's process for one connection: it has no keyring, no bus and no terminal.
    ///
    /// - Returns: the exit status.
    static func serveConnection() -> Int32 {
        StandardStreams.openClosed()
        return GatewayProcess.run(
            transport: { configuration, token in
                CurlTransport(
                    configuration, userAgent: "git-credential-gitspace/\(Version.text)", timeouts: .streaming,
                    uptimeMilliseconds: { SystemClock().uptimeMilliseconds },
                    // A certificate's has a path, and no host.
                    password: { $0.host.isEmpty ? token.keyPassword : token.proxyPassword }, startsThreads: false)
            }, environment: { Environment[$0] })
    }
}

extension TransportTimeouts {
    /// The server may take minutes to prepare a pack, or for its hooks; git says something every few seconds meanwhile.
    fileprivate static let streaming = TransportTimeouts(connect: .seconds(30), silence: .seconds(300))
}
