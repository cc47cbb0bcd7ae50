import CredentialCore
import CurlTransport
import Foundation
import Providers
import StandIn
import System

/// Removes the environment variables that exempt hosts from proxies, once, before the first proxy is used.
let withoutProxyExceptions: Void = { for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) } }()

extension CurlTransport {
    /// A transport with the machine's clock, and with limits that a busy machine does not exceed unless a test shortens
    /// them.
    convenience init(
        _ configuration: TransportConfiguration, timeouts: TransportTimeouts = .unlimited,
        isInterrupted: @escaping () -> Bool = { false }, startsThreads: Bool = true, trace: ((String) -> Void)? = nil,
        password: @escaping (CredentialCore.Request) -> Secret? = { _ in nil }
    ) {
        self.init(
            configuration, userAgent: "git-credential-gitspace", timeouts: timeouts,
            uptimeMilliseconds: { SystemClock().uptimeMilliseconds }, isInterrupted: isInterrupted,
            password: password, startsThreads: startsThreads, trace: trace)
    }
}

extension TransportConfiguration {
    init(proxy: String? = nil, caFile: String? = nil, caDirectory: String? = nil) {
        self.init()
        (self.proxy, proxyAddress) = (proxy, proxy)
        self.caFile = caFile
        self.caDirectory = caDirectory
    }
}

extension TransportTimeouts {
    /// Time limits longer than test.sh allows a suite.
    static let unlimited = TransportTimeouts(connect: .seconds(7_200), total: .seconds(7_200), silence: .seconds(7_200))
}

extension ScriptedServer {
    func address(_ path: String = "/") -> HTTPSAddress { HTTPSAddress(host: "127.0.0.1", port: port, path: path) }
    func get() throws(TransportError) -> HTTPResponse {
        try CurlTransport(trusted()).send(HTTPRequest(.get, address()))
    }

    /// Settings that trust this server, and use the given proxy or none, regardless of the environment.
    func trusted(proxy: String? = "") -> TransportConfiguration { TransportConfiguration(proxy: proxy, caFile: caFile) }
}

/// Sends a GET, and returns its error; `nil` after success.
func failure(
    of server: ScriptedServer, settings: TransportConfiguration? = nil, timeouts: TransportTimeouts = .unlimited,
    password: @escaping (CredentialCore.Request) -> Secret? = { _ in nil }
) -> TransportError? {
    let transport = CurlTransport(settings ?? server.trusted(), timeouts: timeouts, password: password)
    do throws(TransportError) {
        _ = try transport.send(HTTPRequest(.get, server.address()))
        return nil
    } catch { return error }
}
