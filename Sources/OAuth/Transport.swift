/// The way to a provider.
///
/// Each request ends: 10 seconds to connect, 30 in all, and at its own deadline if it has one.
package protocol Transport: AnyObject {
    /// Sends one request and reads the whole answer. Nothing is repeated, and no redirect is followed.
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}
