/// The `state[]` value by which we recognise, in a later `store` or `erase`, the very credential that we handed out.
///
/// It is a digest over host, user name and password, because it goes to every helper in the chain, and because a mark
/// that only said "ours" would make us skip another helper's credential (git 2.53, 4580bcd235).
package enum StateValue {
    /// Our own prefix, by which git's documentation tells helpers' states apart.
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
    /// Whether the credential in this request is one that we handed out a moment ago, to the byte.
    package var carriesOurState: Bool {
        guard !state.isEmpty, let username, let password else { return false }
        return state.contains(StateValue.of(host: host, username: username, password: password))
    }
}
