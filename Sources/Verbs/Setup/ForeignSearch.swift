internal import CredentialCore
internal import Helper
internal import Providers

struct ForeignSearch {
    let host: HostName
    /// `nil` if the person has chosen memory.
    let keyring: (any ForeignKeyring)?
    let files: any ForeignFiles
    let environment: (String) -> String?

    /// Returns the unchecked sign-ins, each token once, with gh's active account before its others.
    ///
    /// A locked keyring is an error, because it may have sign-ins.
    func signIns() throws(KeyringError) -> [ForeignCredential] {
        var found: [ForeignCredential] = []
        for tool in ForeignTool.allCases {
            for credential in try credentials(of: tool)
            where credential.path == nil && isHere(credential.host) && credential.password.isToken
                && !found.contains(where: { $0.password == credential.password })
            {
                found.append(credential)
            }
        }
        return found
    }

    private func credentials(of tool: ForeignTool) throws(KeyringError) -> [ForeignCredential] {
        switch tool {
        case .gh: try ofGH()
        case .gcm: try ofGCM()
        case .store: ofStore()
        }
    }

    private func items(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem] {
        do throws(KeyringError) {
            return try keyring?.foreignItems(having: attributes) ?? []
        } catch  where error.isAbsence {
            return []
        }
    }

    private func isHere(_ name: [UInt8]) -> Bool { HostName(name)?.canonicalForHTTPS == host }

    // MARK: gh

    /// Returns gh's tokens: one for each account, and the active account's again without a name (zalando/go-keyring).
    ///
    /// The Secret Service only finds whole values, so each spelling of the host in gh's file is searched for.
    private func ofGH() throws(KeyringError) -> [ForeignCredential] {
        var found: [ForeignCredential] = []
        var hosts: [HostsFile.Host] = []
        if let path = ghFile, case .contents(let text) = files.contents(of: path) {
            hosts = text.reveal { HostsFile($0).hosts }.filter { isHere($0.name) }
        }
        if !hosts.contains(where: { $0.name == host.text }) { hosts.append(HostsFile.Host(name: host.text)) }
        for host in hosts {
            let tokens =
                try items(having: [("service", Array("gh:".utf8) + host.name)]).map { item in
                    HostsFile.Token(user: item["username"].flatMap { $0.isEmpty ? nil : $0 }, token: item.secret)
                } + host.tokens
            let nameless = tokens.filter { $0.user == nil }.map(\.token)
            let active = host.activeUser ?? tokens.first { $0.user != nil && nameless.contains($0.token) }?.user
            let all = tokens.compactMap { token in
                (token.user ?? active).map {
                    ForeignCredential(tool: .gh, host: host.name, user: $0, password: token.token)
                }
            }
            found += all.filter { $0.user == active } + all.filter { $0.user != active }
        }
        return found
    }

    private var ghFile: String? {
        if let folder = folder("GH_CONFIG_DIR") { return folder + "/hosts.yml" }
        return configurationFolder.map { $0 + "/gh/hosts.yml" }
    }

    // MARK: Git Credential Manager

    /// Returns Git Credential Manager's items, all of which have its schema's name.
    ///
    /// `service` is `git:https://HOST/PATH`, beginning with `credential.namespace`. Refresh tokens, which only its own
    /// app can use, are of a host `oauth-refresh-token.HOST`.
    private func ofGCM() throws(KeyringError) -> [ForeignCredential] {
        let schema = Array("com.microsoft.GitCredentialManager".utf8)
        return try items(having: [(ItemAttributes.Name.schema, schema)]).compactMap { item in
            guard let service = item["service"], let user = item["account"], !user.isEmpty,
                let address = Self.address(inService: service)
            else { return nil }
            return ForeignCredential(
                tool: .gcm, host: address.host, user: user, path: address.path, password: item.secret)
        }
    }

    private static func address(inService service: [UInt8]) -> (host: [UInt8], path: [UInt8]?)? {
        let scheme = Array(":https://".utf8)
        guard let start = service.indices.first(where: { service[$0...].starts(with: scheme) }) else { return nil }
        let rest = service[(start + scheme.count)...]
        let slash = UInt8(ascii: "/")
        let hostEnd = rest.firstIndex(of: slash) ?? rest.endIndex
        // An account in the address is the same as in the attribute.
        let host = rest[..<hostEnd].split(separator: UInt8(ascii: "@")).last.map(Array.init) ?? []
        let path = Array(rest[hostEnd...].drop { $0 == slash })
        return (host, path.isEmpty ? nil : path)
    }

    // MARK: git-credential-store

    private func ofStore() -> [ForeignCredential] {
        let home = folder("HOME").map { $0 + "/.git-credentials" }
        return [home, configurationFolder.map { $0 + "/git/credentials" }].compactMap { $0 }.flatMap { path in
            guard case .contents(let text) = files.contents(of: path) else { return [ForeignCredential]() }
            var credentials = text.reveal { CredentialStoreFile($0).credentials }
            for index in credentials.indices { credentials[index].file = path }
            return credentials
        }
    }

    private var configurationFolder: String? {
        folder("XDG_CONFIG_HOME") ?? folder("HOME").map { $0 + "/.config" }
    }

    /// A relative folder could be a repository's, and is ignored.
    private func folder(_ variable: String) -> String? {
        environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

struct ForeignCredential {
    let tool: ForeignTool
    /// The host as the tool stored it, unchecked.
    let host: [UInt8]
    let user: [UInt8]
    var path: [UInt8]?
    let password: Secret
    /// The file with the plain text, for git-credential-store.
    var file: String?
}

/// The tools whose credentials `setup` takes over.
package enum ForeignTool: CaseIterable {
    case gh
    case gcm
    case store

    var name: DisplayText {
        switch self {
        case .gh: "gh"
        case .gcm: "Git Credential Manager"
        case .store: "git-credential-store"
        }
    }
}
