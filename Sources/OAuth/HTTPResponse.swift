/// What a provider answered: everything in it is a stranger's text.
package struct HTTPResponse {
    /// The status code.
    package var status: Int
    /// The body, at most 64 KiB.
    package var body: [UInt8]
    /// Header fields, names in lower case, in the order in which they came; at most 64 KiB in all.
    package var headers: [(name: String, value: [UInt8])]

    package init(status: Int, body: [UInt8] = [], headers: [(name: String, value: [UInt8])] = []) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// The first header field of that name, in lower case.
    package func header(_ name: String) -> [UInt8]? { headers.first { $0.name == name }?.value }
}
