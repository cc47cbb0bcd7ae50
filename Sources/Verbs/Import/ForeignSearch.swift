internal import CredentialCore
internal import Helper

/// Looks where other tools keep their credentials.
struct ForeignSearch {
    private let keyring: any ForeignKeyring
    private let files: any ForeignFiles
    private let dependencies: Dependencies

    init(keyring: any ForeignKeyring, files: any ForeignFiles, with dependencies: Dependencies) {
        self.keyring = keyring
        self.files = files
        self.dependencies = dependencies
    }

    /// What a tool has stored.
    func credentials(of source: ImportSource) throws(KeyringError) -> ForeignCredentials {
        switch source {
        case .gh: try ofGH()
        case .gcm: try ofGCM()
        case .store: ofStore()
        }
    }

    /// The same; where there is no keyring, there are still the files.
    func credentialsWithoutKeyring(of source: ImportSource) throws(KeyringError) -> ForeignCredentials {
        do throws(KeyringError) {
            return try credentials(of: source)
        } catch  where error.isAbsence {
            return try ForeignSearch(keyring: NoForeignKeyring(), files: files, with: dependencies)
                .credentials(of: source)
        }
    }

    // MARK: gh

    /// gh stores a token for each account, and that of the active account again without a name (zalando/go-keyring).
    ///
    /// The Secret Service only finds whole values, so each host is searched for: those that gh names in its file, and
    /// those that are known here.
    private func ofGH() throws(KeyringError) -> ForeignCredentials {
        var found = ForeignCredentials()
        let path = ghFile
        var hosts: [HostsFile.Host] = []
        switch path.map(files.contents) {
        case .contents(let text): hosts = text.reveal { HostsFile($0).hosts }
        case .unreadable: found.leftOut.append(.unreadableFile(path ?? ""))
        case .absent, nil: break
        }
        for name in try knownHosts() where !hosts.contains(where: { $0.name == name }) {
            hosts.append(HostsFile.Host(name: name))
        }
        for host in hosts {
            found += try inKeyring(ofGH: host)
            if let path { found += inFile(path, ofGH: host) }
        }
        return found
    }

    private func inKeyring(ofGH host: HostsFile.Host) throws(KeyringError) -> ForeignCredentials {
        let service = Array("gh:".utf8) + host.name
        let items = try keyring.foreignItems(having: [("service", service)])
        let named = items.filter { $0["username"]?.isEmpty == false }
        var found = ForeignCredentials()
        for item in items {
            var user = item["username"] ?? []
            if user.isEmpty {
                guard !named.contains(where: { $0.secret == item.secret }) else { continue }
                guard let active = host.activeUser else {
                    found.leftOut.append(.nameless(host: DisplayText(host.name)))
                    continue
                }
                user = active
            }
            found.credentials.append(
                ForeignCredential(
                    source: .gh, host: host.name, user: user, password: item.secret, modified: item.modified,
                    copy: .keyring(removal: .ghLogout(user: DisplayText(user), host: DisplayText(host.name)))))
        }
        return found
    }

    private func inFile(_ path: String, ofGH host: HostsFile.Host) -> ForeignCredentials {
        var found = ForeignCredentials()
        for token in host.tokens {
            guard let user = token.user ?? host.activeUser else {
                found.leftOut.append(.nameless(host: DisplayText(host.name)))
                continue
            }
            // The active account's is there twice.
            let isKnown = found.credentials.contains { $0.user == user && $0.password == token.token }
            guard !isKnown else { continue }
            found.credentials.append(
                ForeignCredential(
                    source: .gh, host: host.name, user: user, password: token.token, modified: nil,
                    copy: .file(path, removal: .ghLogout(user: DisplayText(user), host: DisplayText(host.name)))))
        }
        return found
    }

    private var ghFile: String? {
        if let folder = folder("GH_CONFIG_DIR") { return folder + "/hosts.yml" }
        return configurationFolder.map { $0 + "/gh/hosts.yml" }
    }

    /// The built-in host, and those that the person has named.
    private func knownHosts() throws(KeyringError) -> [[UInt8]] {
        do {
            return try HelperHosts(ContextResolver(with: dependencies)).all.map(\.name.text)
                .filter { $0 != Array("gist.github.com".utf8) }
        } catch {
            throw .unconfigured(error)
        }
    }

    // MARK: Git Credential Manager

    /// All its items have its schema's name.
    ///
    /// The service names the address: `git:https://HOST/PATH`, beginning with `credential.namespace`.
    private func ofGCM() throws(KeyringError) -> ForeignCredentials {
        let schema = Array("com.microsoft.GitCredentialManager".utf8)
        let items = try keyring.foreignItems(having: [(ItemAttributes.Name.schema, schema)])
        var found = ForeignCredentials()
        for item in items {
            guard let service = item["service"], let user = item["account"], !user.isEmpty,
                let address = Self.address(inService: service)
            else { continue }
            let refreshTokenPrefix = Array("oauth-refresh-token.".utf8)
            guard !address.host.starts(with: refreshTokenPrefix) else {
                let host = Array(address.host.dropFirst(refreshTokenPrefix.count))
                found.leftOut.append(.refreshToken(host: DisplayText(host)))
                continue
            }
            let removal = ImportRemoval.secretTool(service: DisplayText(service), account: DisplayText(user))
            found.credentials.append(
                ForeignCredential(
                    source: .gcm, host: address.host, user: user, path: address.path, password: item.secret,
                    modified: item.modified, copy: .keyring(removal: removal)))
        }
        return found
    }

    private static func address(inService service: [UInt8]) -> (host: [UInt8], path: [UInt8]?)? {
        let scheme = Array(":https://".utf8)
        guard let start = service.indices.first(where: { service[$0...].starts(with: scheme) }) else { return nil }
        let rest = service[(start + scheme.count)...]
        let slash = UInt8(ascii: "/")
        let hostEnd = rest.firstIndex(of: slash) ?? rest.endIndex
        // An account in the address is the one in the attribute.
        let host = rest[..<hostEnd].split(separator: UInt8(ascii: "@")).last.map(Array.init) ?? []
        let path = Array(rest[hostEnd...].drop { $0 == slash })
        return (host, path.isEmpty ? nil : path)
    }

    // MARK: git-credential-store

    private func ofStore() -> ForeignCredentials {
        var found = ForeignCredentials()
        let home = folder("HOME").map { $0 + "/.git-credentials" }
        for path in [home, configurationFolder.map { $0 + "/git/credentials" }].compactMap({ $0 }) {
            switch files.contents(of: path) {
            case .absent: continue
            case .unreadable: found.leftOut.append(.unreadableFile(path))
            case .contents(let text):
                let file = text.reveal { CredentialStoreFile($0, path: path) }
                found.credentials += file.credentials
                if file.badLines > 0 { found.leftOut.append(.badLines(path, count: file.badLines)) }
            }
        }
        return found
    }

    private var configurationFolder: String? {
        folder("XDG_CONFIG_HOME") ?? folder("HOME").map { $0 + "/.config" }
    }

    /// The folder that a variable names; nil for a relative one, which could be a repository's.
    private func folder(_ variable: String) -> String? {
        dependencies.environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

/// No items of anybody's.
final class NoForeignKeyring: ForeignKeyring {
    func foreignItems(
        having attributes: [(name: String, value: [UInt8])]
    ) throws(KeyringError) -> [ForeignItem] { [] }
}
