import CStandIn

/// A certificate with its private key, made in memory.
struct Certificate: ~Copyable {
    let handle: OpaquePointer
    let key: OpaquePointer
    private static let day = 86_400

    private init() throws(StandInError) {
        // NO_ATEXIT: our threads may still use OpenSSL when the process exits.
        OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        guard let key = gitspace_new_key(), let handle = X509_new() else { throw StandInError(openSSL: "no key") }
        self.handle = handle
        self.key = key
    }

    deinit {
        X509_free(handle)
        EVP_PKEY_free(key)
    }

    /// Makes a key and a certificate without a signature, valid from a day to another, counted from today.
    static func unsigned(
        named name: String, from start: Int = -2, daysLeft: Int = 2
    ) throws(StandInError) -> Certificate {
        let certificate = try Certificate()
        let handle = certificate.handle
        guard X509_set_version(handle, Int(X509_VERSION_3)) == 1,
            ASN1_INTEGER_set(X509_get_serialNumber(handle), .random(in: 1 ... .max)) == 1,
            X509_gmtime_adj(X509_getm_notBefore(handle), start * Self.day) != nil,
            X509_gmtime_adj(X509_getm_notAfter(handle), daysLeft * Self.day) != nil,
            X509_NAME_add_entry_by_txt(X509_get_subject_name(handle), "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1,
            X509_set_pubkey(handle, certificate.key) == 1
        else { throw StandInError(openSSL: "no certificate") }
        return certificate
    }

    /// Signs a certificate, which may be its own.
    func sign(_ certificate: borrowing Certificate, extensions: KeyValuePairs<Int32, String>) throws(StandInError) {
        X509_set_issuer_name(certificate.handle, X509_get_subject_name(handle))
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, handle, certificate.handle, nil, nil, 0)
        for (name, value) in extensions {
            let new = X509V3_EXT_nconf_nid(nil, &context, name, value)
            defer { X509_EXTENSION_free(new) }
            guard new != nil, X509_add_ext(certificate.handle, new, -1) == 1 else {
                throw StandInError(openSSL: "no certificate with \(value)")
            }
        }
        guard X509_sign(certificate.handle, key, EVP_sha256()) > 0 else { throw StandInError(openSSL: "not signed") }
    }

    /// Writes the certificate without its key to a file (PEM).
    func write(to path: String) throws(StandInError) {
        let file = BIO_new_file(path, "w")
        defer { BIO_free(file) }
        guard PEM_write_bio_X509(file, handle) == 1 else { throw StandInError(openSSL: "could not write \(path)") }
    }
}

extension ServerCertificate {
    /// Makes a server's certificate, and the authority that clients must trust.
    func make(authority path: String) throws(StandInError) -> Certificate {
        let authority = try Certificate.unsigned(named: "Stand-in authority")
        try authority.sign(
            authority, extensions: [NID_basic_constraints: "critical,CA:TRUE", NID_key_usage: "critical,keyCertSign"])
        try authority.write(to: path)
        let server = try Certificate.unsigned(
            named: "Stand-in", from: self == .notYetValid ? 1 : -2, daysLeft: self == .expired ? -1 : 2)
        let extensions: KeyValuePairs = [
            NID_subject_alt_name: self == .otherName ? "DNS:somewhere-else.test" : Self.names,
            NID_basic_constraints: "critical,CA:FALSE", NID_ext_key_usage: "serverAuth",
        ]
        if self == .selfSigned {
            try server.sign(server, extensions: extensions)
        } else {
            try authority.sign(server, extensions: extensions)
        }
        return server
    }
}

/// The certificate that the stand-in presents: a good one, or one that clients must refuse.
package enum ServerCertificate: String, CaseIterable, Sendable {
    /// Signed by the stand-in's authority, for all its names.
    case valid
    /// Signed by the stand-in's authority, for another host.
    case otherName
    /// Signed by the stand-in's authority, for all its names, but expired yesterday.
    case expired
    /// Signed by the stand-in's authority, for all its names, but valid only from tomorrow.
    case notYetValid
    case selfSigned

    /// All names under which clients reach the stand-in, directly or through its proxy, in OpenSSL's notation.
    private static let names = """
        DNS:localhost,IP:127.0.0.1,DNS:github.com,DNS:api.github.com,DNS:gist.github.com,\
        DNS:*.ghe.com,DNS:api.octo.ghe.com,DNS:ghe.test,DNS:gitlab.com,DNS:gitlab.test,DNS:bitbucket.org,\
        DNS:codeberg.org,DNS:gitea.test,DNS:*.soak.test
        """
}
