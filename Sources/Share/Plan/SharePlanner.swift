internal import CredentialCore
package import Helper
internal import Providers

extension SharePlan {
    /// - Throws: a usage error, or the reason for which every request would be refused later.
    package init(
        _ name: ShareName, _ kind: Kind, _ typed: ShareSettings, with sharing: ShareDependencies
    ) throws(UserFacingError) {
        let planner = SharePlanner(sharing: sharing, dependencies: sharing.own(nil))
        self = try planner.plan(name, kind, typed: typed)
        try planner.check(self)
    }

    /// Plans a place whose socket systemd makes: only git's configuration counts.
    package init(activated name: ShareName, idle: Int64?, with sharing: ShareDependencies) throws(UserFacingError) {
        self = try SharePlanner(sharing: sharing, dependencies: sharing.own(nil)).plan(
            name, .directory, typed: nil, idle: idle ?? Self.usualIdle)
    }

    /// Milliseconds without a request after which systemd listens again.
    ///
    /// With a short time, a place that asks in a loop would lose its socket: systemd allows only twenty starts in two
    /// seconds (systemd.socket(5), TriggerLimitBurst).
    private static let usualIdle: Int64 = 600_000
}

private struct SharePlanner {
    let sharing: ShareDependencies
    let dependencies: Dependencies

    /// The plan of that name, with at least one host; `typed` is `nil` if systemd starts it.
    func plan(
        _ name: ShareName, _ kind: SharePlan.Kind, typed: ShareSettings?, idle: Int64? = nil
    ) throws(UserFacingError) -> SharePlan {
        let entries = try rethrowing(as: UserFacingError.configurationUnreadable, try dependencies.configuration())
        let configured = try ShareSettings(name, in: entries)
        let settings = try settings(name, kind, typed, configured)
        let repositories = try repositories(name, typed, configured)
        var names = try (repositories.isEmpty ? settings.hosts.map(host) : repositories.map(\.host)).withoutRepetitions
        if names.isEmpty { names = try signedInHosts(settings.username) }
        guard !names.isEmpty else { throw Self.notSignedIn(settings.username) }
        let hosts = names.map { host in
            let username = settings.username ?? ConfiguredUsername(entries, for: host).name
            return SharePlan.Host(host, username: username.map { Array($0.utf8) })
        }
        let access = try access(name, settings, names, repositories)
        let clock = sharing.clock
        let end = settings.lifetime.flatMap { ShareSettings.lifetime($0) }.map {
            SharePlan.End(time: clock.now + $0 / 1_000, uptime: clock.uptimeMilliseconds + $0)
        }
        var plan = SharePlan(
            name: name, kind: kind, hosts: hosts, access: access, confirmation: settings.confirmation,
            hasChosenHosts: !settings.hosts.isEmpty && repositories.isEmpty, manner: settings.manner,
            configuration: entries, end: end, idle: idle)
        if let policy = access.gateway,
            GatewayOrder.encoded(policy, plan.configuration).count > GatewayOrder.longest
        {
            throw UserFacingError(
                .share, Message("\"%1$s\" names too many repositories or branches", name.displayName),
                Message("name fewer, or none to share all that the account reaches"))
        }
        // The account that git would use on each host now, if known.
        for (index, host) in plan.hosts.enumerated() {
            if let found = try? found(on: host, plan) { plan.hosts[index].username = found.username }
        }
        return plan
    }

    private static func notSignedIn(_ username: String?) -> UserFacingError {
        guard let username else {
            return UserFacingError(
                .share, Message("you are not signed in anywhere, so there is nothing to share"),
                Message("sign in with:"), .command("git credential-gitspace login"))
        }
        return UserFacingError(
            .share, Message("you are not signed in as %1$s anywhere", DisplayText(untrusted: username.utf8)),
            Message("see your accounts:"), .command("git credential-gitspace status"))
    }

    private func access(
        _ name: ShareName, _ settings: ShareSettings, _ hosts: [HostName], _ repositories: [RepositoryName]
    ) throws(UserFacingError) -> SharePlan.Access {
        if settings.givesToken == true {
            guard !settings.branches.isEmpty || !settings.repositories.isEmpty || settings.isReadOnly else {
                return .token(isLongLived: settings.isLongLived)
            }
            throw UserFacingError(
                .share,
                Message(
                    "a token cannot be limited as git's configuration says for \"%1$s\"; nothing is shared",
                    name.displayName), Message("see what is set:"),
                .command("git config --show-origin --get-regexp '^gitspace-share[.]\(name.displayName)[.]'"))
        }
        guard !settings.opensPullRequests || !settings.branches.isEmpty || settings.isReadOnly else {
            throw Self.invalid(
                Message("pull requests can be opened only where branches are limited"),
                example: "--branch 'agent/*' --pull-requests")
        }
        let branches = try settings.branches.map { text throws(UserFacingError) in
            guard let pattern = BranchPattern(text) else {
                throw Self.invalid(
                    Message("\"%1$s\" is not a pattern for branches", DisplayText(untrusted: text.utf8)),
                    example: "--branch 'agent/*'")
            }
            return pattern
        }
        return .gateway(
            GatewayPolicy(
                repositories.isEmpty ? .hosts(hosts) : .repositories(repositories), isReadOnly: settings.isReadOnly,
                branches: branches, opensPullRequests: settings.opensPullRequests))
    }

    /// The typed or else the configured repositories.
    ///
    /// A typed host selects among the configured ones: it removes no limit and moves no repository.
    private func repositories(
        _ name: ShareName, _ typed: ShareSettings?, _ configured: ShareSettings?
    ) throws(UserFacingError) -> [RepositoryName] {
        if let typed, !typed.repositories.isEmpty { return try parse(typed, configured) }
        let limits: [RepositoryName] = if let configured { try parse(configured, nil) } else { [] }
        guard let typed, !typed.hosts.isEmpty, !limits.isEmpty else { return limits }
        let hosts = try typed.hosts.map(host)
        let shared = limits.filter { hosts.contains($0.host) }
        guard !shared.isEmpty else {
            throw UserFacingError(
                .share,
                Message(
                    "the repositories that git's configuration names for \"%1$s\" are on another host than %2$s",
                    name.displayName, hosts.map { DisplayText(untrusted: $0.text) }.joined(separator: ", ")),
                Message("see what is set:"),
                .command("git config --show-origin --get-all gitspace-share.\(name.displayName).repository"))
        }
        return shared
    }

    /// Parses names of repositories; one without a host is on the first host, of the other settings if there is none.
    private func parse(_ own: ShareSettings, _ other: ShareSettings?) throws(UserFacingError) -> [RepositoryName] {
        let hosts = try own.hosts.map(host)
        let usual = try (own.hosts + (other?.hosts ?? [])).first.map(host)
        return try own.repositories.map { text throws(UserFacingError) in
            guard let address = usual.map({ RepositoryAddress(text, on: $0) }) ?? RepositoryAddress(text),
                let name = RepositoryName(host: address.host, path: address.segments.joined(separator: "/"))
            else {
                throw Self.invalid(
                    Message("\"%1$s\" is not a repository", DisplayText(untrusted: text.utf8)),
                    example: "--repository OWNER/NAME")
            }
            guard hosts.isEmpty || hosts.contains(address.host) else {
                throw UserFacingError(
                    .share,
                    Message(
                        "\"%1$s\" is not on %2$s", DisplayText(untrusted: text.utf8),
                        hosts.map { DisplayText(untrusted: $0.text) }.joined(separator: ", ")),
                    Message("name one of the two hosts, or leave --host out"))
            }
            return name
        }
    }

    private static func invalid(_ text: Message, example: DisplayText) -> UserFacingError {
        UserFacingError(.share, text, Message("for example:"), .command("git credential-gitspace share box \(example)"))
    }

    private func settings(
        _ name: ShareName, _ kind: SharePlan.Kind, _ typed: ShareSettings?, _ configured: ShareSettings?
    ) throws(UserFacingError) -> ShareSettings {
        // A typo such as `share lst` would otherwise share every host.
        if kind == .directory, configured == nil, let typed, typed.hosts.isEmpty, typed.repositories.isEmpty,
            let meant = name.mistyped
        {
            throw UserFacingError(
                .share, Message("\"%1$s\" looks like \"share %2$s\"", name.displayName, meant),
                Message("if you meant that:"), .command("git credential-gitspace share \(meant)"),
                Message("to use the name, say what to share:"),
                .command("git credential-gitspace share \(name.displayName) --host github.com"))
        }
        guard let typed else {
            // A mistyped name in a unit must not share every sign-in.
            guard let configured, !configured.hosts.isEmpty || !configured.repositories.isEmpty else {
                throw UserFacingError(
                    .share,
                    Message("git's configuration names no host for the shared place \"%1$s\"", name.displayName),
                    Message("add the host that it may use:"),
                    .command("git config --global --add gitspace-share.\(word: name.text).host github.com"))
            }
            return configured
        }
        return configured?.overridden(by: typed) ?? typed
    }

    private func host(_ text: String) throws(UserFacingError) -> HostName {
        guard let request = try? Request(typed: text), let host = HostName(request.host) else {
            throw Self.invalid(
                Message("\"%1$s\" is not a host", DisplayText(untrusted: text.utf8)), example: "--host github.com")
        }
        return host.canonicalForHTTPS
    }

    private func signedInHosts(_ username: String?) throws(UserFacingError) -> [HostName] {
        do {
            let resolver = ContextResolver(with: dependencies)
            let items = try dependencies.keyring.items(
                having: ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)]))
            var hosts: [HostName] = []
            // The token of a path is not a sign-in.
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

    // MARK: The accounts

    private func found(on host: SharePlan.Host, _ plan: SharePlan) throws(ShareRefusal) -> StoredCredential {
        try ShareLookup(for: host, of: plan, with: sharing.dependencies()).find().credential
    }

    private func refusal(on host: SharePlan.Host, _ plan: SharePlan) -> ShareRefusal? {
        do throws(ShareRefusal) {
            let lookup = try ShareLookup(for: host, of: plan, with: sharing.dependencies())
            return lookup.refusal(of: try lookup.find().credential, askedAs: nil)
        } catch {
            return error
        }
    }

    /// Refuses now, while the person is here, what every request would be refused later.
    func check(_ plan: SharePlan) throws(UserFacingError) {
        for host in plan.hosts {
            let name = DisplayText(untrusted: host.name)
            switch refusal(on: host, plan) {
            case ShareRefusal.doesNotExpire?:
                throw endless(host, plan)
            case ShareRefusal.notSignedIn?:
                let account = host.username.map { DisplayText(untrusted: $0) }
                throw UserFacingError(
                    .share,
                    account.map { Message("you are not signed in to %1$s as %2$s", name, $0) }
                        ?? Message("you are not signed in to %1$s, so there is nothing to share", name),
                    Message("sign in with:"),
                    account.map { .command("git credential-gitspace login \(word: name) \(word: $0)") } ?? .login(name))
            case ShareRefusal.notAPassword?:
                let why = ShareRefusal.notAPassword.text
                throw UserFacingError(.share, Message("the token for %1$s cannot be shared: %2$s", name, why))
            default: continue
            }
        }
        for repository in plan.access.gateway?.repositories ?? [] { try checkExistence(of: repository, plan) }
    }

    /// Asks the host about a repository, whose name may be mistyped.
    ///
    /// Unclear answers, such as an expired token or no network, are left to the first request.
    private func checkExistence(of repository: RepositoryName, _ plan: SharePlan) throws(UserFacingError) {
        let dependencies = sharing.dependencies()
        guard let host = plan.host(named: repository.host.text), let credential = try? found(on: host, plan),
            let settings = try? ContextResolver(with: dependencies).storeSettings(of: repository.host),
            let provider = SignInHost(configured: repository.host, provider: .git)?.provider,
            case .notFound? = try? provider.fetch(
                repository.path, as: credential, over: dependencies.transport(settings.transport)
            ).answer
        else { return }
        throw UserFacingError(
            .share,
            Message(
                "%1$s does not exist, or %2$s has no access to it", repository.displayName,
                DisplayText(untrusted: credential.username)), Message("find out with:"),
            .command("git credential-gitspace check \(word: repository.url)"))
    }

    /// The error for a token that does not expire, which its receiver could keep.
    private func endless(_ host: SharePlan.Host, _ plan: SharePlan) -> UserFacingError {
        let name = DisplayText(untrusted: host.name)
        var hints = [Message("to share it all the same:"), .command("\(plan.command()) --long-lived")]
        let signIn = HostName(host.name).flatMap {
            try? ContextResolver(with: sharing.dependencies()).signInContext(of: $0)
        }
        if signIn?.host.provider.registration(of: .gitHubApp) != nil {
            let setup = Message.command("git credential-gitspace setup \(word: name) --github-app")
            hints = [Message("sign in by a GitHub App, whose tokens expire:"), setup] + hints
        }
        return UserFacingError(
            .share, Message("your credentials for %1$s do not expire, so whoever gets them can keep them", name), hints)
    }
}
