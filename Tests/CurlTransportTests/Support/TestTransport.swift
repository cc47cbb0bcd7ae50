import CredentialCore
import CurlTransport
import Foundation
import Providers
import StandIn
import System

/// Takes out of the environment what would lead past the proxies of the tests, once and before the first of them is used.
let withoutProxyExceptions: Void = { for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) } }()

extension CurlTransport {
    /// A transport by the machine's clock, whose limits a busy machine does not meet unless a test sets them.
    convenience init(
        _ configuration: TransportConfiguration, timeouts: TransportTimeouts = .unlimited,
        isInterrupted: @escaping () -> Bool = { false }, trace: ((String) -> Void)? = nil,
        password: @escaping (CredentialCore.Request) -> Secret? = { _ in nil }
    ) {
        self.init(
            configuration, userAgent: "git-credential-gitspace", timeouts: timeouts,
            uptimeMilliseconds: { SystemClock().uptimeMilliseconds }, isInterrupted: isInterrupted,
            password: password, trace: trace)
    }
}

extension TransportTimeouts {
    /// Longer than test.sh waits for a suite.
    static let unlimited = TransportTimeouts(
        connect: .seconds(7_200), total: .seconds(7_200), silence: .seconds(7_200))
}

extension ScriptedServer {
    /// An address on this server.
    func address(_ path: String = "/") -> HTTPSAddress { HTTPSAddress(host: "127.0.0.1", port: port, path: path) }

    /// Settings that trust it and, whatever the environment says, lead through no proxy unless one is given.
    func trusted(proxy: String? = "") -> TransportConfiguration { TransportConfiguration(proxy: proxy, caFile: caFile) }
}

/// Sends one GET and tells why it failed; nil if it did not.
func failure(
    of server: ScriptedServer, settings: TransportConfiguration? = nil,
    timeouts: TransportTimeouts = .unlimited
) -> TransportError? {
    let transport = CurlTransport(settings ?? server.trusted(), timeouts: timeouts)
    do throws(TransportError) {
        _ = try transport.send(HTTPRequest(.get, server.address()))
        return nil
    } catch {
        return error
    }
}
