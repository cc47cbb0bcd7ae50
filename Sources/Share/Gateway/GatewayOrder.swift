package import CredentialCore
internal import Helper
package import Providers

/// The first message to a connection's process: the policy, and git's configuration for the transport to the hosts.
package enum GatewayOrder {
    /// The limit of one message, in bytes.
    package static let longest = 65_536

    package static func encoded(_ policy: GatewayPolicy, _ configuration: [ConfigurationEntry]) -> [UInt8] {
        var text = encoded(policy)
        text.append(0)
        for entry in configuration {
            text += entry.name.utf8
            if let value = entry.value {
                text.append(UInt8(ascii: "\n"))
                text += value.utf8
            }
            text.append(0)
        }
        return text
    }

    /// The policy and the configuration, or nil if a part is not understood.
    static func parseWhole(_ text: [UInt8]) -> (policy: GatewayPolicy, configuration: [ConfigurationEntry])? {
        let parts = text.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.last?.isEmpty == true, let policy = parse(Array(parts[0])) else { return nil }
        let lines = parts.dropFirst().dropLast()
        let entries = lines.compactMap { ConfigurationEntry(line: $0) }
        return entries.count == lines.count ? (policy, entries) : nil
    }

    /// The policy alone, which a record keeps as well.
    package static func encoded(_ policy: GatewayPolicy) -> [UInt8] {
        var lines: [String] = policy.isReadOnly ? ["read-only"] : []
        switch policy.scope {
        case .hosts(let hosts): lines += hosts.map { "host \(String(decoding: $0.text, as: UTF8.self))" }
        case .repositories(let repositories): lines += repositories.map { "repository \($0.address)" }
        }
        lines += policy.branches.map { "branch \($0.text)" }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// The policy, or nil if a part is not understood.
    package static func parse(_ text: [UInt8]) -> GatewayPolicy? {
        var hosts: [HostName] = []
        var repositories: [RepositoryName] = []
        var branches: [BranchPattern] = []
        var isReadOnly = false
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            switch (words.first, words.count == 2 ? words[1] : nil) {
            case ("read-only", nil): isReadOnly = true
            case ("host", let name?):
                guard let host = HostName(Array(name.utf8)) else { return nil }
                hosts.append(host)
            case ("repository", let name?):
                guard let repository = RepositoryName(address: name) else { return nil }
                repositories.append(repository)
            case ("branch", let pattern?):
                guard let branch = BranchPattern(pattern) else { return nil }
                branches.append(branch)
            default: return nil
            }
        }
        guard hosts.isEmpty != repositories.isEmpty else { return nil }
        return GatewayPolicy(
            hosts.isEmpty ? .repositories(repositories) : .hosts(hosts), isReadOnly: isReadOnly, branches: branches)
    }
}

/// What the process that shares hands to that of a connection: a credential, and the passwords for the way to its host.
///
/// In git's own lines, a block for each (git-credential(1)), so that the reader of git's requests reads it.
package struct GatewayToken {
    package let authorization: HTTPRequest.Authorization
    /// The password of a proxy; nil if none is wanted, or none is stored.
    package let proxyPassword: Secret?
    /// The password of a client certificate's key; nil likewise.
    package let keyPassword: Secret?

    /// Instead of a token.
    static let refusal = Secret(Array("quit=1\n".utf8))

    /// The encoded token, or nil if the reader would take it for another one.
    static func encoded(
        _ credential: StoredCredential, proxyPassword: Secret?, keyPassword: Secret?
    ) -> Secret? {
        let lines = "protocol=https\nhost=host\n"
        guard let request = try? Request(parsing: Secret("\(lines)capability[]=authtype\n".utf8)) else { return nil }
        var answer = Answer.Credential(username: credential.username, password: credential.password)
        answer.authtype = credential.authtype
        let encoded = Answer.credential(answer).encoded(for: request)
        guard !encoded.isEmpty else { return nil }
        var text = Secret.Builder()
        text.append(lines.utf8)
        text.append(encoded)
        for password in [proxyPassword, keyPassword] {
            text.append("\n\(lines)password=".utf8)
            if let password { text.append(password) }
            text.append(UInt8(ascii: "\n"))
        }
        return text.finish()
    }

    /// Fails for a refusal, and for an unknown scheme.
    package init?(parsing message: Secret) {
        let blocks = message.reveal { bytes in
            var blocks: [Request] = []
            var start = 0
            for end in 1..<max(bytes.count, 1) where bytes[end] == 0x0a && (bytes[end - 1] == 0x0a) {
                Self.append(bytes[start..<end], to: &blocks)
                start = end + 1
            }
            Self.append(bytes[start...], to: &blocks)
            return blocks
        }
        guard blocks.count == 3, let secret = blocks[0].secret, !secret.isEmpty else { return nil }
        switch blocks[0].authtype {
        case nil:
            authorization = .basic(
                username: String(decoding: blocks[0].username ?? [], as: UTF8.self), password: secret)
        case let scheme? where ASCII.equalsIgnoringCase(scheme, "bearer"): authorization = .bearer(secret)
        case .some: return nil
        }
        proxyPassword = blocks[1].password.flatMap { $0.isEmpty ? nil : $0 }
        keyPassword = blocks[2].password.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func append(_ block: Slice<UnsafeRawBufferPointer>, to blocks: inout [Request]) {
        if let request = try? Request(parsing: Secret(copying: UnsafeRawBufferPointer(rebasing: block))) {
            blocks.append(request)
        }
    }
}

/// The answer to a message that asks for no token: the record and the log have been written.
package struct GatewayAcknowledgement {
    /// Lines for the client, which git shows as `remote: …`.
    package let remarks: [UInt8]

    private static let beginning = Array("ok\n".utf8)

    package init(remarks: [UInt8] = []) { self.remarks = remarks }

    package var encoded: Secret { Secret(Self.beginning + remarks) }

    package init?(parsing message: Secret) {
        let bytes = message.reveal { Array($0) }
        guard bytes.starts(with: Self.beginning) else { return nil }
        remarks = Array(bytes.dropFirst(Self.beginning.count))
    }
}
