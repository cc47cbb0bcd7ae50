package import CredentialCore
package import Helper
internal import Providers

extension SetupSteps {
    /// The most tokens of other tools to try: a file may hold any number.
    private static let mostForeign = 5

    /// Takes over the first sign-in of another tool that the host accepts and the person agrees to.
    ///
    /// - Returns: whether somebody is signed in.
    /// - Throws: an error, also for Ctrl-C.
    func takenOver(_ target: TokenTarget) throws(OperationFailure) -> Bool {
        guard clientID == nil, let context = try signInContext(target) else { return false }
        let host = context.host.displayName
        let asked = context.ofGitsAccount(with: dependencies).username
        let search = ForeignSearch(context.host.name, outside, dependencies)
        var found = try rethrowing(as: OperationFailure.init, try search.signIns())
        if let asked {
            let name = String(decoding: asked, as: UTF8.self)
            let isAsked = { (credential: ForeignCredential) in ASCII.equalsIgnoringCase(credential.user, name) }
            found = found.filter(isAsked) + found.filter { !isAsked($0) }
        }
        for (place, credential) in found.prefix(Self.mostForeign).enumerated() {
            let tool = credential.tool
            let holder = context.host.provider.holder(
                of: credential.password, over: dependencies.transport(context.transport))
            let login: DisplayText
            switch holder {
            case .account, .good:
                let anyUsername = context.host.provider.facts.anyUsername
                // A host that names no owner for this token names none for the next one either.
                guard let name = holder.names?.first, name != anyUsername else { return false }
                login = DisplayText(untrusted: name.utf8, longest: 255)
                guard holder.isOwner(credential.user) || ASCII.equalsIgnoringCase(credential.user, anyUsername) else {
                    sayOnce(Message("Skipped a token of %1$s, because it belongs to another account.", tool))
                    continue
                }
            case .rejected:
                sayOnce(Message("Skipped a token of %1$s, because %2$s rejected it.", tool, host))
                continue
            case .unknown: return false
            case .interrupted: throw .known
            }
            if let asked, !ASCII.equalsIgnoringCase(asked, login.text) { continue }
            if !options.yes {
                guard mayAsk else { throw .failed(.setupNeedsAnswer(host: host, as: name)) }
                let question = Message(
                    "%1$s is signed in to %2$s as %3$s. Use this account for git, too? [Y/n] ", tool, host, login)
                guard let isYes = outside.isYes(question) else { throw .known }
                guard isYes else { continue }
            }
            guard try keep(credential, as: asked ?? Array(login.text.utf8), at: context) else {
                // Another process has saved a token meanwhile.
                if try isSignedIn(context) { return true }
                continue
            }
            outside.say(.signedIn(as: login, dependencies.keyring.storage))
            dependencies.shareInstead.map(outside.say)
            sayPlainText(credential)
            if asked == nil { try sayOthers(found[(place + 1)...], besides: login, at: context) }
            return true
        }
        notLookedAt.map(sayOnce)
        if found.count > Self.mostForeign {
            sayOnce(Message("Tried %1$s of the %2$s tokens that other tools have.", Self.mostForeign, found.count))
        }
        return false
    }

    private func sayPlainText(_ credential: ForeignCredential) {
        guard let file = credential.file else { return }
        outside.say(Message("%1$s still has the token in plain text. To remove it:", DisplayText(untrusted: file.utf8)))
        let lines: DisplayText =
            "protocol=https\\nhost=\(DisplayText(untrusted: credential.host))\\nusername=\(DisplayText(untrusted: credential.user))\\n\\n"
        let isPlain = [credential.host, credential.user].allSatisfy { ASCII.isPlain($0, with: "-_.:@+") }
        outside.say(
            .command(
                isPlain
                    ? "printf '\(lines)' | git credential-store --file \(word: file) erase"
                    : "${EDITOR:-vi} \(word: file)"))
    }

    /// Names the configured store of Git Credential Manager if it is not the keyring.
    private var notLookedAt: Message? {
        let configuration = (try? dependencies.configuration()).map { Configuration($0, for: HostName(name: "")) }
        let configured = configuration?.plainValue("credential", "credentialStore")
        let store = (dependencies.environment("GCM_CREDENTIAL_STORE") ?? configured)?.lowercased()
        guard let store, ["plaintext", "gpg", "cache"].contains(store) else { return nil }
        return Message(
            "setup does not look into the \"%1$s\" store of Git Credential Manager.", DisplayText(trusted: store))
    }

    /// Names the other accounts of those tools, and how to take them over.
    private func sayOthers(
        _ rest: ArraySlice<ForeignCredential>, besides login: DisplayText, at context: SignInContext
    ) throws(OperationFailure) {
        let provider = context.host.provider
        let stored = try context.with(username: nil).stored(with: dependencies)
        let known =
            [Array(login.text.utf8), Array(provider.facts.anyUsername.utf8)]
            + context.credentialContext.usernames(of: stored)
        var others: [DisplayText] = []
        for user in rest.map(\.user) where provider.facts.isAccountName(user) {
            let name = DisplayText(account: user)
            let isKnown = known.contains { ASCII.equalsIgnoringCase($0, name.text) } || others.contains(name)
            if !isKnown, others.count < Self.mostForeign { others.append(name) }
        }
        guard !others.isEmpty else { return }
        let setup: DisplayText = "git credential-gitspace setup \(word: context.host.displayName)"
        outside.say(
            [Message("Other tools have more accounts. To take them over as well:")]
                + others.map { .command("\(setup) \(word: $0)") })
    }

    /// Returns false if a token that was saved meanwhile stays.
    private func keep(
        _ credential: ForeignCredential, as username: [UInt8], at context: SignInContext
    ) throws(OperationFailure) -> Bool {
        let (now, refused) = (dependencies.clock.now, refused)
        let target = TokenTarget(context, with: dependencies)
        do {
            return try target.keep(credential.password, as: username, with: dependencies) { stored in
                stored.password != refused && stored.condition(at: now).isValid
            }
        } catch {
            // The other tool still has the token.
            guard error.code == .notSaved, let fault = error.keyring else { throw .failed(error) }
            let words = UserFacingError.keyring(fault).within(.notSaved) {
                Message("could not save the token of %1$s: %2$s", credential.tool, $0)
            }
            throw .failed(words)
        }
    }
}

extension UserFacingError {
    package static func setupNeedsAnswer(host: DisplayText, as account: DisplayText? = nil) -> UserFacingError {
        let setup: DisplayText = account.map { "setup \(word: host) \(word: $0)" } ?? "setup \(word: host)"
        return UserFacingError(
            .nobodyToAsk, Message("setup has a question, but there is no terminal to ask it in"),
            Message("run it in a terminal, or without questions:"), .command("git credential-gitspace \(setup) --yes"))
    }
}

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
