/// The `state[]` value by which a later `store` or `erase` recognises the very credential that we returned.
///
/// It is a digest over host, username and password. It must not reveal them, because git passes it to every helper in
/// the chain. And a value that only said "ours" would make us ignore another helper's credential (git 2.53,
/// 4580bcd235).
package enum StateValue {
    /// Our prefix, by which helpers recognise their own states, as git's documentation recommends.
    static let prefix = Array("gitspace:".utf8)

    /// The mark of one credential.
    ///
    /// - Returns: `gitspace:` and 64 hexadecimal digits.
    package static func of(host: [UInt8], username: [UInt8], password: Secret) -> [UInt8] {
        var digest = SHA256()
        digest.update(field: host)
        digest.update(field: username)
        password.reveal { digest.update(field: $0) }
        return prefix + digest.finish()
    }
}

extension Request {
    /// Whether the credential in this request is exactly the one that we returned before.
    package var carriesOurState: Bool {
        guard !state.isEmpty, let secret, let username = hasAuthtype ? username ?? [] : username else { return false }
        return state.contains(StateValue.of(host: host, username: username, password: secret))
    }
}
