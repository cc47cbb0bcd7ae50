/// Every request that the stand-in has received.
struct RequestLog {
    private(set) var entries: [(endpoint: Endpoint, request: Request)] = []
    /// `HOST:PORT` of every CONNECT request, in order.
    var tunnels: [String] = []

    mutating func record(_ request: Request, as endpoint: Endpoint) {
        entries.append((endpoint: endpoint, request: request))
    }

    /// The requests to one endpoint, oldest first.
    func requests(to endpoint: Endpoint) -> [Request] { entries.filter { $0.endpoint == endpoint }.map(\.request) }
}
