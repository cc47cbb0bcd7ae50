package import CredentialCore
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
        for credential in try ofGH() + ofGCM() + ofStore()
        where credential.path == nil && isHere(credential.host) && credential.password.isToken
            && !found.contains(where: { $0.password == credential.password })
        {
            found.append(credential)
        }
        return found
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
        let folder = folder("GH_CONFIG_DIR") ?? configurationFolder.map { $0 + "/gh" }
        if let folder, case .contents(let text) = files.contents(of: folder + "/hosts.yml") {
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
                    ForeignCredential(tool: "gh", host: host.name, user: $0, password: token.token)
                }
            }
            found += all.filter { $0.user == active } + all.filter { $0.user != active }
        }
        return found
    }

    // MARK: Git Credential Manager

    /// Returns Git Credential Manager's items, all of which have its schema's name.
    ///
    /// `service` is `git:https://HOST/PATH`, beginning with `credential.namespace`. Refresh tokens, which only its own
    /// app can use, are of a host `oauth-refresh-token.HOST`.
    private func ofGCM() throws(KeyringError) -> [ForeignCredential] {
        let schema = Array("com.microsoft.GitCredentialManager".utf8)
        let slash = UInt8(ascii: "/")
        return try items(having: [(ItemAttributes.Name.schema, schema)]).compactMap { item in
            guard let service = item["service"], let user = item["account"], !user.isEmpty,
                let scheme = service.firstRange(of: ":https://".utf8)
            else { return nil }
            let authority = service[scheme.upperBound...].prefix { $0 != slash }
            // An account in the address is the same as in the attribute.
            let host = authority.split(separator: UInt8(ascii: "@")).last.map(Array.init) ?? []
            let path = Array(service[authority.endIndex...].drop { $0 == slash })
            return ForeignCredential(
                tool: "Git Credential Manager", host: host, user: user, path: path.isEmpty ? nil : path,
                password: item.secret)
        }
    }

    // MARK: git-credential-store

    private func ofStore() -> [ForeignCredential] {
        let home = folder("HOME").map { $0 + "/.git-credentials" }
        let paths = [home, configurationFolder.map { $0 + "/git/credentials" }].compactMap(\.self)
        return paths.flatMap { path -> [ForeignCredential] in
            guard case .contents(let text) = files.contents(of: path) else { return [] }
            return text.reveal { CredentialStoreFile($0, at: path).credentials }
        }
    }

    private var configurationFolder: String? { folder("XDG_CONFIG_HOME") ?? folder("HOME").map { $0 + "/.config" } }

    /// A relative folder could be a repository's, and is ignored.
    private func folder(_ variable: String) -> String? {
        environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

extension ForeignSearch {
    init(_ host: HostName, _ outside: VerbDependencies, _ dependencies: Dependencies) {
        let settings = try? ContextResolver(with: outside.dependencies(nil)).generalSettings
        self.init(
            host: host, keyring: settings?.store == .cache ? nil : outside.foreignKeyring, files: outside.foreignFiles,
            environment: dependencies.environment)
    }
}

struct ForeignCredential {
    /// The name of the tool that stores it.
    let tool: DisplayText
    /// The host as the tool stored it, unchecked.
    let host: [UInt8]
    let user: [UInt8]
    var path: [UInt8]?
    let password: Secret
    /// The file with the plain text, for git-credential-store.
    var file: String?
}

/// Files of other tools, which are read and never changed.
package protocol ForeignFiles {
    /// Returns the contents of a regular file, up to 1 MiB.
    func contents(of path: String) -> FileContents
}

/// gh's `hosts.yml` in gh's own form: a name, or a name with a value, on each line, indented by spaces.
///
/// Ignores all other forms of YAML.
struct HostsFile {
    struct Host: Equatable {
        let name: [UInt8]
        var activeUser: [UInt8]?
        /// The tokens in plain text by account, with `nil` for the active one.
        var tokens: [Token] = []
    }

    struct Token: Equatable {
        let user: [UInt8]?
        let token: Secret
    }

    private(set) var hosts: [Host] = []

    init(_ text: UnsafeRawBufferPointer) {
        // The names above the line, with their indentation.
        var above: [(indentation: Int, name: [UInt8])] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let content = line.drop { $0 == UInt8(ascii: " ") }
            let indentation = line.count - content.count
            guard let colon = Self.keyEnd(content), content.first != UInt8(ascii: "#") else { continue }
            var value = Self.unquoted(content[(colon + 1)...])
            defer { value.wipe() }
            above.removeAll { $0.indentation >= indentation }
            above.append((indentation, Self.unquoted(content[..<colon])))
            take(above.map(\.name), value)
        }
    }

    /// `names` leads from the left margin to the line.
    private mutating func take(_ names: [[UInt8]], _ value: [UInt8]) {
        if names.count == 1 { return hosts.append(Host(name: names[0])) }
        guard let last = hosts.indices.last, !value.isEmpty else { return }
        if names.count == 2, names[1] == Array("user".utf8) { hosts[last].activeUser = value }
        guard names.last == Array("oauth_token".utf8) else { return }
        if names.count == 2 { hosts[last].tokens.append(Token(user: nil, token: Secret(value))) }
        guard names.count == 4, names[1] == Array("users".utf8) else { return }
        hosts[last].tokens.append(Token(user: names[2], token: Secret(value)))
    }

    private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0d]

    /// The colon that ends a name, before a blank or the line end (YAML 1.2, 7.4.2), unlike a port's.
    private static func keyEnd(_ line: Slice<UnsafeRawBufferPointer>) -> Int? {
        line.indices.first { place in
            line[place] == UInt8(ascii: ":") && line[(place + 1)...].first.map(blanks.contains) != false
        }
    }

    private static func unquoted(_ text: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var value = Array(text.drop { blanks.contains($0) })
        while let last = value.last, blanks.contains(last) { value.removeLast() }
        guard value.count >= 2, let quote = value.first, quote == value.last, "\"'".utf8.contains(quote) else {
            return value
        }
        return Array(value.dropFirst().dropLast())
    }
}

/// The file of git-credential-store(1): an address with account and password on each line, percent-encoded.
struct CredentialStoreFile {
    /// The credentials for https, in the order of the lines.
    private(set) var credentials: [ForeignCredential] = []

    init(_ text: UnsafeRawBufferPointer, at path: String? = nil) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            var bytes = Array(line)
            defer { bytes.wipe() }
            if let credential = Self.credential(bytes[...], path) { credentials.append(credential) }
        }
    }

    /// Parses an address as git does (credential.c, `credential_from_url_gently`).
    ///
    /// The account ends at the first colon, the password at the first `@`.
    private static func credential(_ line: ArraySlice<UInt8>, _ file: String?) -> ForeignCredential? {
        let scheme = "https://".utf8
        guard line.starts(with: scheme) else { return nil }
        let rest = line.dropFirst(scheme.count)
        let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        guard let at = rest[..<authorityEnd].firstIndex(of: UInt8(ascii: "@")),
            let colon = rest[..<at].firstIndex(of: UInt8(ascii: ":")),
            let user = PercentEncoding.decoded(rest[..<colon]),
            var password = PercentEncoding.decoded(rest[(colon + 1)..<at]),
            let host = PercentEncoding.decoded(rest[(at + 1)..<authorityEnd]), !host.isEmpty,
            let place = PercentEncoding.decoded(trimmed(rest[authorityEnd...]))
        else { return nil }
        defer { password.wipe() }
        guard !password.contains(where: { [0, 0x0a, 0x0d].contains($0) }) else { return nil }
        return ForeignCredential(
            tool: "git-credential-store", host: host, user: user, path: place.isEmpty ? nil : place,
            password: Secret(password), file: file)
    }

    private static func trimmed(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        let end = path.lastIndex { $0 != slash }.map { $0 + 1 } ?? path.startIndex
        return path[..<end].drop { $0 == slash }
    }
}
