internal import CredentialCore
package import Messages

extension GatewayPolicy {
    /// What is shared, if that is not all of a host.
    package var subject: Message? {
        guard case .repositories(let repositories) = scope else { return nil }
        let words = repositories.map { Message("%1$s on %2$s", $0.displayName, DisplayText(untrusted: $0.host.text)) }
        return words.dropFirst().reduce(words.first) { list, next in list.map { Message("%1$s, %2$s", $0, next) } }
    }

    package var right: Message {
        if isReadOnly { return Message("read only") }
        return branchNames.map { Message("read; push to %1$s only", $0) } ?? Message("read and push")
    }
}
