/// Splits a request into keys and values, byte by byte.
///
/// Only LF ends a line (CVE-2024-50338, CVE-2024-52006).
///
/// Swift's own line splitting knows a dozen line ends and treats CR LF as one character, so no `String` is used.
struct RequestLines {
    /// The longest line that git documents, LF included (git-credential(1)).
    static let longestLine = 65_535
    /// The maximum size of a request in bytes, far above what git sends: a limit for hostile callers.
    static let longestRequest = 1 << 20

    private var rest: ArraySlice<UInt8>

    /// Starts at the first byte of `request`.
    init(_ request: [UInt8]) throws(RequestError) {
        guard request.count <= Self.longestRequest else { throw .tooLong }
        rest = request[...]
    }

    /// The next `key=value`, split at the first `=`; nil at a blank line or at the end of the input.
    mutating func next() throws(RequestError) -> (key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        guard !rest.isEmpty else { return nil }
        guard let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            throw rest.count >= Self.longestLine ? .tooLong : .malformedLine
        }
        let line = rest[rest.startIndex..<lineEnd]
        rest = rest[(lineEnd + 1)...]
        guard !line.isEmpty else { return nil }
        guard line.count < Self.longestLine else { throw .tooLong }
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { throw .malformedLine }
        return (line[..<equals], line[(equals + 1)...])
    }
}
