internal import CredentialCore
package import CurlTransport
internal import Glibc
package import Providers
internal import Sandbox
internal import System

/// The process of one connection, from its order to its end.
package enum GatewayProcess {
    /// The only argument with which it is started.
    package static let operation = "serve-connection"

    /// In milliseconds: it has been sent before the process was started.
    private static let patience: Int64 = 10_000

    /// Serves the connection that it was started with.
    ///
    /// Whatever is needed of the machine is read first; then the process gives up the rest, and only then reads what the
    /// client sends.
    ///
    /// - Parameters:
    ///   - transport: made when there is a token, which brings the passwords for the way.
    ///   - environment: for the proxies.
    /// - Returns: the exit status.
    package static func run(
        transport: @escaping (TransportConfiguration, GatewayToken) -> CurlTransport,
        environment: (String) -> String?
    ) -> Int32 {
        guard let (client, channel) = WorkerProcess.handedOver(),
            let order = channel.receive(within: patience),
            let (policy, entries) = GatewayOrder.parseWhole(order.reveal { Array($0) })
        else { return 1 }
        var configurations: [HostName: TransportConfiguration] = [:]
        for host in policy.hosts {
            configurations[host.canonicalForHTTPS] = TransportConfiguration(
                Configuration(entries, for: host), environment: environment)
        }
        do throws(Errno) {
            try confinement(of: configurations, environment).begin()
        } catch {
            return 1
        }
        GatewayConnection(of: client, to: channel, under: policy) { host, token in
            transport(configurations[host] ?? TransportConfiguration(), token)
        }.serve()
        return 0
    }

    private static func confinement(
        of configurations: [HostName: TransportConfiguration], _ environment: (String) -> String?
    ) -> Confinement {
        // A resolver that asks again by TCP.
        var confinement = Confinement(readable: Confinement.libraries, ports: [53])
        for (host, configuration) in configurations {
            let certificate = configuration.clientCertificate
            let files = [
                configuration.caFile, configuration.caDirectory, certificate?.file, certificate?.key,
            ]
            confinement.readable += files.compactMap(\.self)
            confinement.ports.append(host.port ?? 443)
            let proxy = configuration.proxyAddress.flatMap(ProxyPlace.find)
            if let proxy { confinement.ports.append(UInt16(clamping: proxy.port)) }
        }
        confinement.readable += ["OPENSSL_CONF", "OPENSSL_MODULES"].compactMap(environment)
        return confinement
    }
}
