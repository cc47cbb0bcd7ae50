package import Commands
internal import CredentialCore
internal import Helper

extension Status.Report: ReportText {
    package var lines: [Message] {
        let blocks = accounts.isEmpty ? [Status.Account.invitation(nil)] : accounts.map(\.lines)
        return Array(blocks.joined(separator: [Message(verbatim: "")]))
    }

    package var json: [String] { accounts.map(\.json) }
}

extension Status.Account {
    fileprivate static func invitation(_ host: DisplayText?) -> [Message] {
        guard let host else {
            return [
                Message("Not signed in to any host. Sign-in happens at the next push, or now:"),
                .command("git credential-gitspace login"),
            ]
        }
        return [Message("Not signed in to %1$s. Sign-in happens at the next push, or now:", host), .login(host)]
    }

    fileprivate var lines: [Message] {
        guard let username else { return Self.invitation(host) }
        let end = expiresAt.map { Message("until %1$s", LocalTime.text($0)) } ?? Message("without an end")
        var lines = [
            Message(verbatim: host), .indented(sentence(username)),
            .indented(isRefreshable ? Message("Token: %1$s, renewed by itself", end) : Message("Token: %1$s", end)),
        ]
        if let scopes { lines.append(.indented(Message("Scopes: %1$s", scopes))) }
        let command: DisplayText = "git credential-gitspace logout \(word: host)"
        lines.append(.indented(Message("To sign out: %1$s", command)))
        return lines
    }

    private func sentence(_ username: DisplayText) -> Message {
        let place = storage == .memory ? Message("memory") : Message("keyring")
        return switch state {
        case .authorized: Message("Signed in as %1$s (%2$s)", username, place)
        case .expired: Message("Ended: signed in as %1$s (%2$s)", username, place)
        case .revoked: Message("No longer accepted: signed in as %1$s (%2$s)", username, place)
        case .notFound: Message("Not signed in")
        case .unknown: Message("Not checked: signed in as %1$s (%2$s)", username, place)
        }
    }

    fileprivate var json: String {
        let place: DisplayText =
            switch storage {
            case .keyring: "keyring"
            case .memory: "memory"
            case nil: "none"
            }
        return JSONText.object([
            ("host", JSONText.string(host)),
            ("provider", provider.map { JSONText.string($0) } ?? JSONText.string("")),
            ("username", username.map { JSONText.string($0) }), ("state", JSONText.string(state)),
            ("refreshable", String(isRefreshable)), ("expires_at", expiresAt.map { String($0) }),
            ("refresh_expires_at", refreshExpiresAt.map { String($0) }),
            ("scopes", scopes.map { JSONText.string($0) }), ("storage", JSONText.string(place)),
        ])
    }
}
