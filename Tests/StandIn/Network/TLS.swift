import CStandIn

/// The TLS settings and certificate of a server, shared by its connections.
///
/// Sendable: it is never changed after `init`, and OpenSSL may create sessions of one context on many threads
/// (openssl-threads(7)).
struct TLSContext: ~Copyable, @unchecked Sendable {
    fileprivate let handle: OpaquePointer

    /// Makes a server's context, optionally with TLS 1.0 and 1.1 only, with nothing newer than TLS 1.2, or with a
    /// client certificate required.
    init(
        certificate: borrowing Certificate, isOld: Bool = false, isTLS12: Bool = false,
        wantsCertificate: Bool = false
    ) throws(StandInError) {
        guard let handle = SSL_CTX_new(TLS_server_method()) else { throw StandInError(openSSL: "no TLS context") }
        if wantsCertificate {
            SSL_CTX_set_verify(handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT) { _, _ in 1 }
        }
        if isTLS12 { SSL_CTX_ctrl(handle, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil) }
        if isOld {
            SSL_CTX_set_cipher_list(handle, "ALL:@SECLEVEL=0")
            SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_VERSION), nil)
            SSL_CTX_ctrl(handle, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
        }
        guard SSL_CTX_use_certificate(handle, certificate.handle) == 1,
            SSL_CTX_use_PrivateKey(handle, certificate.key) == 1
        else {
            SSL_CTX_free(handle)
            throw StandInError(openSSL: "the certificate does not fit")
        }
        self.handle = handle
    }

    deinit { SSL_CTX_free(handle) }
}

/// A TLS session on a socket, which must outlive it.
struct TLSSession: ~Copyable {
    private let handle: OpaquePointer

    /// Performs the handshake; throws if the client rejects the certificate.
    init(_ context: borrowing TLSContext, on socket: borrowing Socket) throws(StandInError) {
        guard let handle = SSL_new(context.handle) else { throw StandInError(openSSL: "no TLS session") }
        guard SSL_set_fd(handle, socket.descriptor) == 1, SSL_accept(handle) == 1 else {
            SSL_free(handle)
            throw StandInError(openSSL: "no TLS handshake")
        }
        self.handle = handle
    }

    deinit { SSL_free(handle) }

    /// Reads the available bytes; waits if there are none.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var count = 0
        return SSL_read_ex(handle, buffer.baseAddress, buffer.count, &count) == 1 ? count : 0
    }

    /// Writes all bytes; `false` if the client has closed the connection.
    func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var count = 0
        return SSL_write_ex(handle, bytes.baseAddress, bytes.count, &count) == 1
    }

    /// Sends `close_notify`, without which clients treat the end as a truncation attack.
    func announceEnd() { _ = SSL_shutdown(handle) }
}

extension StandInError {
    /// An error with the name of the step that failed, and OpenSSL's reason on this thread.
    init(openSSL message: String) {
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(ERR_get_error(), &text, text.count)
        self.init("\(message): \(text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })")
    }
}
