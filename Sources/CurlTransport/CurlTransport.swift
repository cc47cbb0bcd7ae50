internal import CredentialCore
package import OAuth

/// The way to a provider, by libcurl: https only, verified, no redirects, each host on a connection of its own.
///
/// One connection serves all requests to a host, so that polling costs no handshake; nothing is shared between hosts.
/// Not for use from several threads at once.
package final class CurlTransport: Transport {
    private let settings: TransportSettings
    private let timeouts: TransportTimeouts
    private let systemTrust: SystemTrust?
    private let isInterrupted: () -> Bool
    private let trace: ((String) -> Void)?
    private var sessions: [String: HostSession] = [:]

    /// A transport; libcurl is not touched before the first request.
    ///
    /// - Parameters:
    ///   - settings: what the person has configured.
    ///   - timeouts: how long a request may take.
    ///   - systemTrust: where the system keeps its certificates; nil for the places built into libcurl.
    ///   - isInterrupted: whether Ctrl-C was pressed or git is gone; asked at least every 100 ms.
    ///   - trace: takes one line before each request and one after it, with no secret in it; none after a request that
    ///     cannot be interrupted, since nothing may stand between its answer and the saving of it.
    package init(
        settings: TransportSettings, timeouts: TransportTimeouts = TransportTimeouts(), systemTrust: SystemTrust? = nil,
        isInterrupted: @escaping () -> Bool = { false }, trace: ((String) -> Void)? = nil
    ) {
        self.settings = settings
        self.timeouts = timeouts
        self.systemTrust = systemTrust
        self.isInterrupted = isInterrupted
        self.trace = trace
    }

    /// Sends one request and reads the whole answer; a redirect is an answer like any other, with its status.
    ///
    /// - Throws: `.misconfigured` before anything is sent, else what went wrong on the way.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        // Paths of ours hold no secret; a query may.
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
            settings: settings, timeouts: timeouts, systemTrust: systemTrust ?? .installed(), trace: trace)
        sessions[address.authority] = session
        return session
    }
}
