internal import CLibcurl
internal import CredentialCore
internal import Glibc
internal import Providers

/// Collects a response from libcurl's callbacks, within our limits.
///
/// libcurl's own limit covers only the length that a server announces.
struct Exchange: ~Copyable {
    /// The largest body, in bytes.
    private let largestBody: Int
    /// Whether the request was handed to a connection.
    private(set) var wasSent = false
    private var body = Secret.Builder()
    private var head = ResponseHead()
    /// The reason why we ended the transfer; `nil` if we did not.
    private(set) var refusal: TransportError?

    init(largestBody: Int) { self.largestBody = largestBody }

    consuming func response(status: Int) -> HTTPResponse {
        HTTPResponse(status: status, body: body.finish(), headers: head.fields)
    }

    /// Permits the first sending of a request, and refuses a second one.
    ///
    /// If an old connection breaks before the first byte of the response, libcurl repeats the request on a new one. But
    /// the server may have processed it: a refresh token sent twice looks stolen, and the whole family of tokens is
    /// revoked.
    mutating func permitSending() -> Bool {
        defer { wasSent = true }
        return !wasSent
    }

    /// Takes a header line with its end; returns false to refuse the response.
    mutating func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        refusal = refusal ?? head.take(line)
        return refusal == nil
    }

    /// Takes a piece of the body; returns false if the limit is exceeded.
    mutating func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard body.count + piece.count <= largestBody else {
            refusal = .tooLarge
            return false
        }
        body.append(piece)
        return true
    }
}

/// Callbacks of libcurl; their context is a pointer to the exchange.
extension Exchange {
    /// CURLOPT_HEADERFUNCTION; any result but the number of bytes ends the transfer.
    static let onHeader: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
        let length = size * count
        return exchange.pointee.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    /// CURLOPT_WRITEFUNCTION; any result but the number of bytes ends the transfer.
    static let onBody: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
        let length = size * count
        return exchange.pointee.receiveBody(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    /// CURLOPT_PREREQFUNCTION, called before the request is sent.
    static let onSending: curl_prereq_callback = { context, _, _, _, _ in
        let isPermitted = context?.assumingMemoryBound(to: Exchange.self).pointee.permitSending() ?? false
        return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}
