internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// The way from what was typed and configured to a target; after that, nothing changes what it may have.
struct ShareTargetResolver {
    private let dependencies: Dependencies

    init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// The target of that name.
    ///
    /// With at least one host. Nothing was typed (nil) if systemd starts it: then only the configuration counts.
    func target(
        _ name: ShareName, _ kind: ShareTarget.Kind, typed: ShareSettings?
    ) throws(UserFacingError) -> ShareTarget {
        let entries = try rethrowing(as: UserFacingError.configurationUnreadable, try dependencies.configuration())
        let configured = try ShareSettings(name, in: entries)
        let settings = try settings(name, kind, typed, configured)
        var names: [HostName] = []
        for host in settings.hosts {
            let name = try self.host(host)
            if !names.contains(name) { names.append(name) }
        }
        let repositories = try repositories(name, typed, configured)
        if !repositories.isEmpty {
            names = repositories.reduce(into: []) { if !$0.contains($1.host) { $0.append($1.host) } }
        }
        if names.isEmpty { names = try signedInHosts(settings.username) }
        guard !names.isEmpty else { throw Self.notSignedIn(settings.username) }
        let hosts = names.map { host in
            let username = settings.username ?? ConfiguredUsername(entries, for: host).name
            return ShareTarget.Host(host, username: username.map { Array($0.utf8) })
        }
        let access: ShareTarget.Access =
            settings.givesToken == true
            ? .token(try terms(name, settings)) : .gateway(try gateway(name, settings, names, repositories))
        let target = ShareTarget(
            name: name, kind: kind, hosts: hosts, access: access, confirmation: settings.confirmation,
            hasChosenHosts: !settings.hosts.isEmpty && repositories.isEmpty, manner: settings.manner,
            configuration: entries)
        if let policy = access.gateway {
            guard GatewayOrder.encoded(policy, target.configuration).count <= GatewayOrder.longest else {
                throw UserFacingError(
                    .share,
                    Message("\"%1$s\" names too many repositories or branches", DisplayText(trusted: name.text)),
                    [Message("name fewer, or none to share all that the account reaches")])
            }
        }
        return target
    }

    private static func notSignedIn(_ username: String?) -> UserFacingError {
        guard let username else {
            return UserFacingError(
                .share, Message("you are not signed in anywhere, so there is nothing to share"),
                [Message("sign in with:"), .command("git credential-gitspace login")])
        }
        return UserFacingError(
            .share, Message("you are not signed in as %1$s anywhere", DisplayText(untrusted: username.utf8)),
            [Message("see your accounts:"), .command("git credential-gitspace status")])
    }

    /// - Throws: for what a token cannot be limited to: nobody gets one for it.
    private func terms(_ name: ShareName, _ settings: ShareSettings) throws(UserFacingError) -> TokenTerms {
        guard settings.branches.isEmpty, settings.repositories.isEmpty, !settings.isReadOnly else {
            let shown = DisplayText(trusted: name.text)
            throw UserFacingError(
                .share,
                Message(
                    "a token cannot be limited as git's configuration says for \"%1$s\"; nothing is shared", shown),
                [
                    Message("see what is set:"),
                    .command("git config --show-origin --get-regexp '^gitspace-share[.]\(shown)[.]'"),
                ])
        }
        return TokenTerms(isLongLived: settings.isLongLived)
    }

    private func gateway(
        _ name: ShareName, _ settings: ShareSettings, _ hosts: [HostName], _ repositories: [RepositoryName]
    ) throws(UserFacingError) -> GatewayPolicy {
        GatewayPolicy(
            repositories.isEmpty ? .hosts(hosts) : .repositories(repositories), isReadOnly: settings.isReadOnly,
            branches: try settings.branches.map { text throws(UserFacingError) in
                guard let pattern = BranchPattern(text) else {
                    throw UserFacingError(
                        .share, Message("\"%1$s\" is not a pattern for branches", DisplayText(untrusted: text.utf8)),
                        [Message("for example:"), .command("git credential-gitspace share box --branch 'agent/*'")])
                }
                return pattern
            })
    }

    /// What was typed, on the host that was typed, or what is configured, on the host that is configured.
    ///
    /// A host that is typed alone takes no limit away and moves no repository.
    private func repositories(
        _ name: ShareName, _ typed: ShareSettings?, _ configured: ShareSettings?
    ) throws(UserFacingError) -> [RepositoryName] {
        if let typed, !typed.repositories.isEmpty { return try repositories(typed) }
        let limits = try configured.map(repositories) ?? []
        guard let typed, !typed.hosts.isEmpty, !limits.isEmpty else { return limits }
        let hosts = try typed.hosts.map(host)
        let shared = limits.filter { hosts.contains($0.host) }
        guard !shared.isEmpty else {
            let shown = DisplayText(trusted: name.text)
            throw UserFacingError(
                .share,
                Message(
                    "the repositories that git's configuration names for \"%1$s\" are on another host than %2$s", shown,
                    hosts.map { DisplayText(untrusted: $0.text) }.joined(separator: ", ")),
                [
                    Message("see what is set:"),
                    .command("git config --show-origin --get-all gitspace-share.\(shown).repository"),
                ])
        }
        return shared
    }

    private func repositories(_ settings: ShareSettings) throws(UserFacingError) -> [RepositoryName] {
        let hosts = try settings.hosts.map(host)
        return try settings.repositories.map { text throws(UserFacingError) in
            guard let address = hosts.first.map({ RepositoryAddress(text, on: $0) }) ?? RepositoryAddress(text),
                let name = RepositoryName(host: address.host, path: address.segments.joined(separator: "/"))
            else { throw Self.noRepository(text) }
            guard hosts.isEmpty || hosts.contains(address.host) else {
                throw UserFacingError(
                    .share,
                    Message(
                        "\"%1$s\" is not on %2$s", DisplayText(untrusted: text.utf8),
                        hosts.map { DisplayText(untrusted: $0.text) }.joined(separator: ", ")),
                    [Message("name one of the two hosts, or leave --host out")])
            }
            return name
        }
    }

    private static func noRepository(_ text: String) -> UserFacingError {
        UserFacingError(
            .share, Message("\"%1$s\" is not a repository", DisplayText(untrusted: text.utf8)),
            [Message("for example:"), .command("git credential-gitspace share box --repository OWNER/NAME")])
    }

    private func settings(
        _ name: ShareName, _ kind: ShareTarget.Kind, _ typed: ShareSettings?, _ configured: ShareSettings?
    ) throws(UserFacingError) -> ShareSettings {
        // `share lst` would share every host.
        if kind == .directory, configured == nil, let typed, typed.hosts.isEmpty, typed.repositories.isEmpty,
            let meant = name.mistyped
        {
            let shown = DisplayText(trusted: name.text)
            throw UserFacingError(
                .share, Message("\"%1$s\" looks like \"share %2$s\"", shown, meant),
                [
                    Message("if you meant that:"), .command("git credential-gitspace share \(meant)"),
                    Message("to use the name, say what to share:"),
                    .command("git credential-gitspace share \(shown) --host github.com"),
                ])
        }
        guard let typed else {
            // A mistyped name in a unit must not share everything that is signed in.
            guard let configured, !configured.hosts.isEmpty || !configured.repositories.isEmpty else {
                throw UserFacingError(
                    .share,
                    Message(
                        "git's configuration names no host for the shared place \"%1$s\"",
                        DisplayText(trusted: name.text)),
                    [
                        Message("add the host that it may use:"),
                        .command("git config --global --add gitspace-share.\(word: name.text).host github.com"),
                    ])
            }
            return configured
        }
        return configured?.overridden(by: typed) ?? typed
    }

    /// A host as a person types it, checked as those in git's requests are.
    private func host(_ text: String) throws(UserFacingError) -> HostName {
        guard let request = try? HostArgument(text).request(username: nil), let host = HostName(request.host) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" is not a host", DisplayText(untrusted: text.utf8)),
                [Message("for example:"), .command("git credential-gitspace share box --host github.com")])
        }
        return host.canonicalForHTTPS
    }

    /// The hosts where we sign in and somebody is signed in, by their names.
    private func signedInHosts(_ username: String?) throws(UserFacingError) -> [HostName] {
        do {
            let resolver = ContextResolver(with: dependencies)
            let items = try dependencies.keyring.items(
                having: ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)]))
            var hosts: [HostName] = []
            // The token of a path is no sign-in.
            for item in items where item.attributes.object == nil {
                guard let user = item.attributes.user, username.map({ ASCII.equalsIgnoringCase(user, $0) }) ?? true,
                    let host = item.attributes.hostName, !hosts.contains(host),
                    try resolver.signInContext(of: host)?.host.name == host
                else { continue }
                hosts.append(host)
            }
            return hosts.sorted { $0.text.lexicographicallyPrecedes($1.text) }
        } catch {
            throw UserFacingError(whileLookingUp: error)
        }
    }
}
