internal import CredentialCore
internal import Helper

/// The file of git-credential-store(1): an address with account and password on each line, percent-encoded.
struct CredentialStoreFile {
    /// The credentials, in the order of the lines.
    private(set) var credentials: [ForeignCredential] = []
    /// How many lines were something else.
    private(set) var badLines = 0

    init(_ text: UnsafeRawBufferPointer, path: String) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            var bytes = Array(line)
            defer { bytes.wipe() }
            guard !bytes.allSatisfy({ [0x20, 0x09, 0x0d].contains($0) }), bytes.first != UInt8(ascii: "#") else {
                continue
            }
            if let credential = Self.credential(bytes[...], path: path) {
                credentials.append(credential)
            } else {
                badLines += 1
            }
        }
    }

    /// Parses an address as git does (credential.c, `credential_from_url_gently`).
    ///
    /// The account ends at the first colon, the password at the first `@`.
    private static func credential(_ line: ArraySlice<UInt8>, path: String) -> ForeignCredential? {
        let scheme = line.indices.first { line[$0...].starts(with: "://".utf8) }
        guard let schemeEnd = scheme, schemeEnd > 0 else { return nil }
        let rest = line[(schemeEnd + 3)...]
        let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        guard let at = rest[..<authorityEnd].firstIndex(of: UInt8(ascii: "@")),
            let colon = rest[..<at].firstIndex(of: UInt8(ascii: ":")),
            let user = decoded(rest[..<colon]), var password = decoded(rest[(colon + 1)..<at]),
            let host = decoded(rest[(at + 1)..<authorityEnd]), !host.isEmpty,
            let place = decoded(trimmed(rest[authorityEnd...]))
        else { return nil }
        defer { password.wipe() }
        guard !password.contains(where: { [0, 0x0a, 0x0d].contains($0) }) else { return nil }
        return ForeignCredential(
            source: .store, protocol: Array(line[..<schemeEnd]), host: host, user: user,
            path: place.isEmpty ? nil : place, password: Secret(password), modified: nil,
            copy: .file(path, removal: nil))
    }

    private static func trimmed(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        let end = path.lastIndex { $0 != slash }.map { $0 + 1 } ?? path.startIndex
        return path[..<end].drop { $0 == slash }
    }

    /// Percent-decoding; nil for a percent sign without two hex digits.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
