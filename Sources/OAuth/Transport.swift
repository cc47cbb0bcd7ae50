/// Sends requests to a provider.
///
/// Every request has limits: 10 seconds to connect, 30 seconds in total, and its own deadline if it has one.
package protocol Transport: AnyObject {
    /// Sends one request and reads the whole response.
    ///
    /// Nothing is repeated, and no redirect is followed.
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}
