package import CredentialCore
package import Messages

extension GatewayPolicy {
    /// What is shared, if that is not all of a host.
    package var subject: DisplayText? {
        guard case .repositories(let repositories) = scope else { return nil }
        return repositories.map { "\($0.displayName) on \(DisplayText(untrusted: $0.host.text))" as DisplayText }
            .joined(separator: ", ")
    }

    package var right: Message {
        if isReadOnly { return Message("read only") }
        return branchNames.map { Message("read; push to %1$s only", $0) } ?? Message("read and push")
    }
}
