import FoundationEssentials

extension StandIn {
    /// The TLS port on 127.0.0.1.
    package var port: Int { server.port }

    /// The stand-in as a GitHub Enterprise Server, no proxy needed: `https://localhost:PORT`.
    package var address: String { "https://localhost:\(port)" }

    /// The proxy that leads every host name here: `http://127.0.0.1:PORT`.
    package var proxyAddress: String { "http://127.0.0.1:\(proxy.port)" }

    /// The environment in which git and libcurl reach the stand-in under any host name, github.com included.
    ///
    /// It also keeps this machine's system-wide git configuration out, which may rewrite addresses.
    package var environment: [String: String] {
        [
            "https_proxy": proxyAddress, "no_proxy": "", "GIT_SSL_CAINFO": caFile, "CURL_CA_BUNDLE": caFile,
            "GIT_CONFIG_NOSYSTEM": "1",
        ]
    }

    /// The machine's clock, in seconds since 1970.
    package static let systemClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }
}
