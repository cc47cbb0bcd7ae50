import FoundationEssentials

extension StandIn {
    package var port: Int { server.port }

    /// The address of the stand-in as a GitHub Enterprise Server, without the proxy: `https://localhost:PORT`.
    package var address: String { "https://localhost:\(port)" }

    /// The address of the proxy that leads every host name to the stand-in: `http://127.0.0.1:PORT`.
    package var proxyAddress: String { "http://127.0.0.1:\(proxy.port)" }

    /// Environment variables with which git and libcurl reach the stand-in under any host name, including github.com.
    ///
    /// They also exclude the machine's git configuration, which may rewrite addresses.
    package var environment: [String: String] {
        [
            "https_proxy": proxyAddress, "no_proxy": "", "GIT_SSL_CAINFO": caFile, "CURL_CA_BUNDLE": caFile,
            "GIT_CONFIG_NOSYSTEM": "1",
        ]
    }

    package static let systemClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }
}
