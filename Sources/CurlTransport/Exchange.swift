internal import CLibcurl
internal import CredentialCore
internal import Glibc
internal import Providers

/// What libcurl's callbacks have received, and how much more they may.
///
/// libcurl has a limit of its own, but only for the length that a server announces.
struct Exchange: ~Copyable {
    /// In bytes.
    private let largestBody: Int
    /// It has been handed to a connection.
    private(set) var wasSent = false
    private var body = Secret.Builder()
    private var head = ResponseHead()
    /// Why we ended the transfer, if we did.
    private(set) var refusal: TransportError?

    init(largestBody: Int) { self.largestBody = largestBody }

    consuming func response(status: Int) -> HTTPResponse {
        HTTPResponse(status: status, body: body.finish(), headers: head.fields)
    }

    /// libcurl repeats a request on a new connection when an old one breaks before the first byte of the answer.
    ///
    /// But the server may have processed it: a refresh token sent twice looks stolen, and the whole family of tokens is
    /// lost.
    mutating func permitSending() -> Bool {
        defer { wasSent = true }
        return !wasSent
    }

    /// False if it is refused; the line has its end.
    mutating func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        refusal = refusal ?? head.take(line)
        return refusal == nil
    }

    /// False if the limit is exceeded.
    mutating func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard body.count + piece.count <= largestBody else {
            refusal = .tooLarge
            return false
        }
        body.append(piece)
        return true
    }
}

/// The pointer that libcurl gives to these functions leads to the exchange.
extension Exchange {
    /// CURLOPT_HEADERFUNCTION; returning anything but the number of bytes ends the transfer.
    static let onHeader: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
        let length = size * count
        return exchange.pointee.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    /// CURLOPT_WRITEFUNCTION; the same.
    static let onBody: curl_write_callback = { bytes, size, count, context in
        guard let exchange = context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
        let length = size * count
        return exchange.pointee.receiveBody(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    /// CURLOPT_PREREQFUNCTION.
    static let onSending: curl_prereq_callback = { context, _, _, _, _ in
        let isPermitted = context?.assumingMemoryBound(to: Exchange.self).pointee.permitSending() ?? false
        return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}
