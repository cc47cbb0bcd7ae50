/// A provider's response.
///
/// Everything in it is untrusted.
package struct HTTPResponse {
    /// The status code.
    package var status: Int
    /// The body, at most as long as the request allows.
    package var body: [UInt8]
    /// The header fields in the order in which they arrived, with names in lower case; at most 64 KiB in total.
    package var headers: [(name: String, value: [UInt8])]

    package init(status: Int, body: [UInt8] = [], headers: [(name: String, value: [UInt8])] = []) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// The first header field with that name, which must be in lower case.
    package func header(_ name: String) -> [UInt8]? { headers.first { $0.name == name }?.value }
}
