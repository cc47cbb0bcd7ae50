import CredentialCore
import Cryptography
import Providers
import Staging

/// Keys that openssl makes for each run, removed when the process ends.
enum TestKeys {
    static let directory: URL = {
        let directory = URL.temporaryDirectory.appending(path: "cryptography-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            atexit { try? FileManager.default.removeItem(at: TestKeys.directory) }
            for (name, arguments) in commands { try openssl(arguments + " -out \(name).pem", in: directory) }
        } catch { preconditionFailure("no test keys: \(error)") }
        return directory
    }()

    /// The arguments of openssl for each file.
    private static let commands = [
        ("rsa", "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048"),
        ("rsa-other", "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048"),
        ("rsa-1024", "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024"),
        ("rsa-2047", "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2047"),
        ("rsa-pss", "genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048"),
        ("rsa-pkcs1", "rsa -in rsa.pem -traditional"), ("rsa-public", "pkey -in rsa.pem -pubout"),
        ("rsa-encrypted", "pkey -in rsa.pem -aes256 -passout pass:secret"),
        ("rsa-encrypted-pkcs1", "rsa -in rsa.pem -traditional -aes256 -passout pass:secret"),
        ("ec", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"),
        ("ec-other", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"), ("ec-sec1", "ec -in ec.pem"),
        ("ec-with-parameters", "ecparam -name prime256v1 -genkey"),
        ("ec-explicit", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit"),
        ("ec-public", "pkey -in ec.pem -pubout"), ("ec-384", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384"),
        ("ec-521", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521"),
        ("ec-secp256k1", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1"),
        ("ed25519", "genpkey -algorithm ED25519"), ("certificate", "req -x509 -new -key ec.pem -subj /CN=test -days 2"),
    ]

    /// Runs openssl in the keys' folder.
    @discardableResult
    static func openssl(_ arguments: String, in folder: URL = directory) throws -> String {
        let words = arguments.split(separator: " ").map(String.init)
        let end = try RunningProgram.run(["openssl"] + words, in: folder.path)
        guard end.status == 0 else { throw NeverHappened(description: "openssl \(arguments): \(end.errors)") }
        return end.output
    }

    static func file(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: directory.appending(path: "\(name).pem")))
    }

    /// A key, parsed by the program.
    static func privateKey(_ name: String) throws -> PrivateKey { try PrivateKey(pem: Secret(file(name))) }

    /// The public key as a JSON Web Key, with further members.
    static func published(_ name: String, _ members: [String: JSONValue]) throws -> JSONValue {
        var key: [String: JSONValue]
        if name.hasPrefix("rsa") {
            let modulus = try openssl("rsa -in \(name).pem -noout -modulus").dropFirst("Modulus=".count)
            key = ["kty": "RSA", "n": number(hexadecimal: modulus), "e": "AQAB"]
        } else {
            let file = "\(name)-\(UUID().uuidString).der"
            try openssl("pkey -in \(name).pem -pubout -outform DER -out \(file)")
            // The point is at the end (RFC 5480, 2): the byte 4, then X, then Y.
            let der = try Array(Data(contentsOf: directory.appending(path: file)))
            guard name != "ed25519" else {
                key = ["kty": "OKP", "crv": "Ed25519", "x": .text(Base64URL.encode(der.suffix(32)))]
                return .object(key.merging(members) { $1 })
            }
            let curve: JSONWebKey.Curve = name == "ec-384" ? .p384 : name == "ec-521" ? .p521 : .p256
            let size = curve.size
            key = [
                "kty": "EC", "crv": .string(Array(curve.rawValue.utf8)),
                "x": .text(Base64URL.encode(der.suffix(2 * size).prefix(size))),
                "y": .text(Base64URL.encode(der.suffix(size))),
            ]
        }
        return .object(key.merging(members) { $1 })
    }

    private static func number(hexadecimal digits: Substring) -> JSONValue {
        let digits = Array(digits.filter(\.isHexDigit))
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        return .text(Base64URL.encode(bytes))
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self = .string(Array(text.utf8)) }

    /// A string of these bytes.
    static func text(_ text: [UInt8]) -> JSONValue { .string(text) }
}
