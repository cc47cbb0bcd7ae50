/// The secret of an item as text: the password, then one line for each other value (git's libsecret helper since 2.43).
///
/// Everything that changes is in this text, so that one write replaces all of it. git's helper ignores our lines, and
/// drops them when it stores a credential.
///
/// A credential with a scheme, such as Bearer, has no place in git's format. Our own lines hold it, below an empty
/// password that has expired, so git does not use that (since 2.40).
package enum SecretText {
    /// The most bytes; longer texts are not ours.
    package static let longest = 65_536

    fileprivate enum Key: String {
        case passwordExpiryUTC = "password_expiry_utc="
        case oauthRefreshToken = "oauth_refresh_token="
        case authtype = "gitspace_authtype="
        case credential = "gitspace_credential="
        case credentialExpiryUTC = "gitspace_credential_expiry_utc="
        case empty = "gitspace_empty="
        case clientID = "gitspace_client_id="
        case issuer = "gitspace_issuer="
        case tokenOrigin = "gitspace_token_origin="
        case issuedAt = "gitspace_issued="
        case scope = "gitspace_scope="
        case refreshTokenExpiryUTC = "gitspace_refresh_token_expiry_utc="
        case supersededDigest = "gitspace_superseded="
        case since = "gitspace_since="
        case refusedAt = "gitspace_refused="
        case installation = "gitspace_installation="
        case exhaustedAt = "gitspace_exhausted="
        case accountID = "gitspace_account_id="
        case formerName = "gitspace_former_name="
    }

    /// Returns `nil` for a text that git cannot use or that is too long; the item is then neither printed nor deleted.
    ///
    /// Invalid numbers are treated as absent.
    package static func parse(_ secret: Secret, username: [UInt8]) -> StoredCredential? {
        guard secret.count <= longest else { return nil }
        return secret.reveal { bytes in
            guard !bytes.contains(where: { $0 == 0 || $0 == 0x0d }) else { return nil }
            let lines = Self.lines(of: bytes)
            // The last line of a key counts, as for git's helper.
            func value(_ key: Key) -> UnsafeRawBufferPointer? {
                lines.dropFirst().last { $0.starts(with: key.rawValue.utf8) }
                    .map { UnsafeRawBufferPointer(rebasing: $0[key.rawValue.utf8.count...]) }
            }
            let grant = StoredCredential.Grant(
                clientID: value(.clientID).flatMap(text), issuer: value(.issuer).flatMap(text),
                tokenOrigin: value(.tokenOrigin).flatMap(text), issuedAt: value(.issuedAt).flatMap(time),
                scope: value(.scope).flatMap(text), refreshTokenExpiryUTC: value(.refreshTokenExpiryUTC).flatMap(time),
                supersededDigest: value(.supersededDigest).map { Array($0) }, since: value(.since).flatMap(time),
                refusedAt: value(.refusedAt).flatMap(time),
                installation: value(.installation).flatMap { $0.isEmpty ? nil : text($0) },
                exhaustedAt: value(.exhaustedAt).flatMap(time), accountID: value(.accountID).flatMap(time),
                formerName: value(.formerName).flatMap(text))
            let header = value(.authtype).flatMap { $0.isEmpty ? nil : value(.credential) }
            var credential = StoredCredential(
                username: username, password: Secret(copying: header ?? lines[0]),
                passwordExpiryUTC: value(header == nil ? .passwordExpiryUTC : .credentialExpiryUTC).flatMap(time),
                oauthRefreshToken: value(.oauthRefreshToken).flatMap { $0.isEmpty ? nil : Secret(copying: $0) },
                grant: grant.clientID == nil && grant.since == nil && grant.installation == nil ? nil : grant)
            credential.isEmptyByChoice = credential.password.isEmpty && value(.empty) != nil
            if header != nil { credential.authtype = value(.authtype).map { Array($0) } }
            return credential
        }
    }

    /// The lines without their LF; there is always one, which may be empty.
    private static func lines(of text: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
        var lines: [UnsafeRawBufferPointer] = []
        var start = 0
        for (index, byte) in text.enumerated() where byte == UInt8(ascii: "\n") {
            lines.append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
            start = index + 1
        }
        lines.append(UnsafeRawBufferPointer(rebasing: text[start...]))
        return lines
    }

    /// A time in seconds since 1970; as in git, 0 means never.
    private static func time(_ digits: UnsafeRawBufferPointer) -> Int64? {
        DecimalNumber.parse(digits).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String? { String(validating: bytes, as: UTF8.self) }

    /// The text, or `nil` if a value has a byte that would end its line early, or the text would be too long.
    package static func encode(_ credential: StoredCredential) -> Secret? {
        var lines = SecretLines()
        let expiry = credential.passwordExpiryUTC
        if let authtype = credential.authtype {
            lines.append(.passwordExpiryUTC, "1".utf8)
            lines.append(.authtype, authtype)
            lines.append(.credential, credential.password)
            lines.append(.credentialExpiryUTC, expiry)
        } else {
            lines.append(value: credential.password)
            // A keyring that loses the secret loses this line as well.
            if credential.isEmptyByChoice { lines.append(.empty, "1".utf8) }
            lines.append(.passwordExpiryUTC, expiry)
        }
        if let token = credential.oauthRefreshToken { lines.append(.oauthRefreshToken, token) }
        if let grant = credential.grant {
            lines.append(.clientID, grant.clientID?.utf8)
            lines.append(.issuer, grant.issuer?.utf8)
            lines.append(.tokenOrigin, grant.tokenOrigin?.utf8)
            lines.append(.issuedAt, grant.issuedAt)
            lines.append(.scope, grant.scope?.utf8)
            lines.append(.refreshTokenExpiryUTC, grant.refreshTokenExpiryUTC)
            lines.append(.supersededDigest, grant.supersededDigest)
            lines.append(.since, grant.since)
            lines.append(.refusedAt, grant.refusedAt)
            lines.append(.installation, grant.installation?.utf8)
            lines.append(.exhaustedAt, grant.exhaustedAt)
            lines.append(.accountID, grant.accountID)
            lines.append(.formerName, grant.formerName?.utf8)
        }
        guard let text = lines.finish(), text.count <= longest else { return nil }
        return text
    }
}

extension SecretLines {
    fileprivate mutating func append(_ key: SecretText.Key, _ value: (some Collection<UInt8>)?) {
        guard let value else { return }
        append(words: "\n")
        append(words: key.rawValue)
        append(value: value)
    }

    fileprivate mutating func append(_ key: SecretText.Key, _ number: Int64?) {
        append(key, number.map { String($0).utf8 })
    }

    fileprivate mutating func append(_ key: SecretText.Key, _ value: Secret) { value.reveal { append(key, $0) } }
}
