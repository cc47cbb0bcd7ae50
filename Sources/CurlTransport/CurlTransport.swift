internal import CredentialCore
package import OAuth

/// The transport to a provider through libcurl: https only, verified, no redirects, one connection per host.
///
/// One connection serves all requests to a host, so that polling costs no handshake; nothing is shared between hosts.
/// Not for use from several threads at once.
package final class CurlTransport: Transport {
    private let configuration: TransportConfiguration
    private let userAgent: String
    private let timeouts: TransportTimeouts
    private let uptimeMilliseconds: () -> Int64
    private let isInterrupted: () -> Bool
    private let trace: ((String) -> Void)?
    private var sessions: [String: HostSession] = [:]

    /// Creates a transport; libcurl is not started before the first request.
    ///
    /// - Parameters:
    ///   - configuration: what the person has configured.
    ///   - userAgent: the product name sent to the server.
    ///   - timeouts: how long a request may take.
    ///   - uptimeMilliseconds: a clock that does not jump when the system's time is set.
    ///   - isInterrupted: whether Ctrl-C was pressed or git is gone; asked at least every 100 ms.
    ///   - trace: receives one line before each request and one after it, without secrets; none after a request that
    ///     cannot be interrupted, since nothing may delay the saving of its answer.
    package init(
        _ configuration: TransportConfiguration, userAgent: String, timeouts: TransportTimeouts = TransportTimeouts(),
        uptimeMilliseconds: @escaping () -> Int64, isInterrupted: @escaping () -> Bool = { false },
        trace: ((String) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.userAgent = userAgent
        self.timeouts = timeouts
        self.uptimeMilliseconds = uptimeMilliseconds
        self.isInterrupted = isInterrupted
        self.trace = trace
    }

    /// Sends one request and reads the whole answer; a redirect is an answer like any other, with its status.
    ///
    /// - Throws: `.misconfigured` before anything is sent, else what went wrong on the way.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        // Our paths contain no secret; a query may.
        let path = request.address.path.prefix { $0 != "?" }
        trace?("\(request.method.rawValue) https://\(request.address.authority)\(path)")
        let session = try session(for: request.address)
        let response = try session.send(
            request, isInterrupted: request.isInterruptible ? isInterrupted : { false })
        if request.isInterruptible { trace?("status \(response.status), \(response.body.count) bytes") }
        return response
    }

    private func session(for address: HTTPSAddress) throws(TransportError) -> HostSession {
        if let session = sessions[address.authority] { return session }
        let session = try HostSession(
            configuration.others[address.authority] ?? configuration, userAgent: userAgent, timeouts: timeouts,
            uptimeMilliseconds: uptimeMilliseconds,
            trace: trace)
        sessions[address.authority] = session
        return session
    }
}
