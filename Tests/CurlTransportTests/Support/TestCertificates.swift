import Foundation
import Staging

/// Certificates for servers on loopback, made by openssl for each run and removed with the process.
enum TestCertificates {
    /// What a server shows; all but the last are signed by the authority.
    enum Kind: String, CaseIterable {
        /// For 127.0.0.1 and localhost.
        case good
        /// For another host.
        case wrongName
        /// For 127.0.0.1, in the year 2024.
        case expired
        /// For 127.0.0.1, signed by itself.
        case selfSigned
    }

    /// The folder in which they all lie.
    static let directory: URL = {
        let directory = URL.temporaryDirectory.appending(path: "curl-transport-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            atexit { try? FileManager.default.removeItem(at: TestCertificates.directory) }
            try make(in: directory)
        } catch {
            preconditionFailure("no test certificates: \(error)")
        }
        return directory
    }()

    /// The authority's own certificate.
    static var authority: String { directory.appending(path: "authority.pem").path }
    /// The one key of the authority and of all servers.
    static var key: String { directory.appending(path: "key.pem").path }
    /// A folder that trusts the authority by a hash link.
    static var hashedDirectory: String { directory.appending(path: "hashed").path }

    /// The certificate that a server of this kind shows.
    static func certificate(_ kind: Kind) -> String { directory.appending(path: "\(kind.rawValue).pem").path }

    private static func make(in directory: URL) throws {
        func openssl(_ arguments: String) throws {
            let words = arguments.split(separator: " ").map(String.init)
            let end = try RunningProgram.run(["openssl"] + words, in: directory.path)
            guard end.status == 0 else { throw NeverHappened(description: "openssl \(arguments): \(end.errors)") }
        }
        try openssl("ecparam -name prime256v1 -genkey -noout -out key.pem")
        try openssl("req -x509 -new -key key.pem -subj /CN=authority -days 2 -out authority.pem")
        try bookkeeping(in: directory)
        for kind in Kind.allCases {
            let name = kind == .wrongName ? "DNS:other.example" : "IP:127.0.0.1,DNS:localhost"
            try "subjectAltName=\(name)\n".write(
                to: directory.appending(path: "names"), atomically: true, encoding: .utf8)
            try openssl("req -new -key key.pem -subj /CN=server -out request.pem")
            let files = "-in request.pem -extfile names -out \(kind.rawValue).pem"
            switch kind {
            case .good, .wrongName: try openssl("x509 -req -CA authority.pem -CAkey key.pem -days 2 \(files)")
            case .selfSigned: try openssl("x509 -req -signkey key.pem -days 2 \(files)")
            // `x509` takes dates since OpenSSL 3.4 alone, and no negative -days since 3.5; `ca` has always taken dates.
            case .expired:
                try openssl(
                    "ca -batch -notext -config authority.cnf -startdate 20240101000000Z -enddate 20241231000000Z "
                        + files)
            }
        }
        try FileManager.default.createDirectory(
            at: directory.appending(path: "hashed"), withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            at: directory.appending(path: "authority.pem"), to: directory.appending(path: "hashed/authority.pem"))
        try openssl("rehash hashed")
    }

    /// What `openssl ca` wants to keep of the certificates that it signs, and the rules by which it does.
    private static func bookkeeping(in directory: URL) throws {
        let rules = """
            [ca]
            default_ca = rules
            [rules]
            certificate = authority.pem
            private_key = key.pem
            database = authority.txt
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = names
            [names]
            commonName = supplied

            """
        try rules.write(to: directory.appending(path: "authority.cnf"), atomically: true, encoding: .utf8)
        try Data().write(to: directory.appending(path: "authority.txt"))
    }
}
