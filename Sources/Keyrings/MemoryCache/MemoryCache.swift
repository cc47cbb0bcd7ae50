package import CredentialCore
internal import System

/// git's own `credential-cache`, for machines without a keyring: it keeps credentials in memory, and nowhere else.
///
/// It keeps the expiry since git 2.40 and the refresh token since 2.41; our own lines are lost in it.
package final class MemoryCache: Keyring {
    package init() {}

    package var storage: CredentialStorage { .memory }

    /// Seconds that the cache keeps a credential after it was last used: the hours of a GitHub App's token.
    private static let timeout = 28_800
    private static let patience: Int64 = 5_000

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        guard let answer = run("get", Self.description(of: attributes)) else { return [] }
        var values: [String: ArraySlice<UInt8>] = [:]
        for line in answer.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            values[String(decoding: line[..<equals], as: UTF8.self)] = line[(equals + 1)...]
        }
        guard let user = values["username"], let password = values["password"] else { return [] }
        var found = attributes
        found.user = Array(user)
        let credential = StoredCredential(
            username: Array(user), password: Secret(password),
            passwordExpiryUTC: values["password_expiry_utc"].flatMap(DecimalNumber.parse),
            oauthRefreshToken: values["oauth_refresh_token"].map { Secret($0) })
        return [Item(path: "", attributes: found, schemaName: nil, modified: 0, secret: SecretText.encode(credential))]
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] { items }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        guard run("get", Self.description(of: ItemAttributes(protocol: [], host: HostName(name: "")))) != nil else {
            throw .noProvider
        }
    }

    package func checkWritable(replacing item: Item) throws(KeyringError) { try checkWritable(mayPrompt: false) }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        guard let credential = SecretText.parse(secret, username: attributes.user ?? []) else { throw .unstorable }
        var text = Self.description(of: attributes)
        defer { text.wipe() }
        func append(_ key: String, _ value: some Sequence<UInt8>) { text += Array("\(key)=".utf8) + value + [0x0a] }
        credential.password.reveal { append("password", $0) }
        if let expiry = credential.passwordExpiryUTC { append("password_expiry_utc", String(expiry).utf8) }
        credential.oauthRefreshToken?.reveal { append("oauth_refresh_token", $0) }
        guard run("store", text) != nil else { throw .noProvider }
    }

    package func remove(_ item: Item) throws(KeyringError) {
        _ = run("erase", Self.description(of: item.attributes))
    }

    private static func description(of attributes: ItemAttributes) -> [UInt8] {
        let host = (attributes.server ?? []) + (attributes.port.map { Array(":".utf8) + $0 } ?? [])
        let lines: [(String, [UInt8]?)] = [
            ("protocol", attributes.protocol), ("host", host), ("path", attributes.object),
            ("username", attributes.user),
        ]
        return lines.flatMap { key, value in value.map { Array("\(key)=".utf8) + $0 + [0x0a] } ?? [] }
    }

    private func run(_ operation: String, _ description: [UInt8]) -> [UInt8]? {
        ChildProcess.output(
            of: ["git", "credential-cache", "--timeout=\(Self.timeout)", operation], input: Secret(description),
            within: Self.patience)
    }
}
