/// The files that TLS needs, made with the `openssl` command line tool: an authority of this stand-in's own and one
/// server certificate.
struct CertificateFiles {
    /// The authority that clients are told to trust (PEM).
    let authority: String
    /// The server's certificate (PEM).
    let certificate: String
    /// The server's private key (PEM).
    let privateKey: String

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    /// Makes a new authority and a server certificate of the given `kind` in `folder`.
    init(kind: ServerCertificate, in folder: TemporaryFolder) throws(StandInError) {
        authority = "\(folder.path)/ca.pem"
        certificate = "\(folder.path)/server.pem"
        privateKey = "\(folder.path)/server.key"
        let authorityKey = "\(folder.path)/ca.key"
        let request = "\(folder.path)/server.csr"
        let extensions = try folder.write(
            """
            subjectAltName=\(kind.subjectAlternativeNames)
            basicConstraints=critical,CA:FALSE
            extendedKeyUsage=serverAuth

            """, to: "server.ext")

        try Self.openssl(
            ["req", "-x509"] + Self.newKey + [
                "-keyout", authorityKey, "-out", authority, "-days", "2", "-subj", "/CN=Stand-in authority",
                "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign",
            ])
        try Self.openssl(
            ["req", "-new"] + Self.newKey + ["-keyout", privateKey, "-out", request, "-subj", "/CN=Stand-in"])
        let signer =
            kind == .selfSigned
            ? ["-signkey", privateKey] : ["-CA", authority, "-CAkey", authorityKey, "-CAcreateserial"]
        try Self.openssl(
            ["x509", "-req", "-in", request, "-out", certificate, "-extfile", extensions]
                + ["-days", kind == .expired ? "-1" : "2"] + signer)
    }

    /// Runs one openssl command.
    private static func openssl(_ arguments: [String]) throws(StandInError) {
        let result = try ChildProcess.run(["openssl"] + arguments)
        guard result.status == 0 else {
            throw StandInError("openssl \(arguments[0]) failed: \(result.errorText)")
        }
    }
}
