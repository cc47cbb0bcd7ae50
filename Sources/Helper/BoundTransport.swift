package import Providers

/// A transport whose requests all end at one time.
package final class BoundTransport: Transport {
    private let transport: any Transport
    private let deadline: Int64

    package init(_ transport: any Transport, until deadline: Int64) {
        self.transport = transport
        self.deadline = deadline
    }

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        var request = request
        request.deadline = deadline
        return try transport.send(request)
    }
}
