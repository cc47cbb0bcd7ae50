package import CredentialCore

/// A host without a sign-in here: a person makes a token on a page there, and git uses it as a password.
///
/// Nothing here is OAuth. A token that a person has pasted goes to the host that they named, and to no other.
package enum TokenHost {
    /// Gitea or Forgejo, which is a sign-in host once there is a client ID.
    case gitea(Gitea)
    /// Bitbucket Cloud (support.atlassian.com, "Using API tokens"), by its origin.
    case bitbucket(HTTPSAddress)
    case other

    /// One of those that everybody knows.
    package init?(known host: HostName) {
        if let gitea = SignInHost(publicGitea: host) {
            self = .gitea(Gitea(gitea))
        } else if host.canonicalForHTTPS == HostName(name: "bitbucket.org") {
            self = .bitbucket(HTTPSAddress(host: "bitbucket.org"))
        } else {
            return nil
        }
    }

    /// By its challenge; nil if that says nothing that we know.
    package init(_ recognized: RecognizedHost?, at origin: HTTPSAddress) {
        let host = HostName(name: origin.host, port: origin.port)
        switch recognized {
        case .signIn(.gitea, _)?:
            self = SignInHost(configured: host, provider: .gitea).map { .gitea(Gitea($0)) } ?? .other
        case .bitbucket(isCloud: true)?: self = .bitbucket(origin)
        case .signIn, .bitbucket, nil: self = .other
        }
    }

    package var takesBearer: Bool { if case .gitea = self { Gitea.facts.takesBearer } else { true } }

    /// On it a token is made; nil if it is not known.
    package var page: HTTPSAddress? {
        switch self {
        case .gitea(let gitea): gitea.page(.newToken)
        // "Create an API token": the page of the Atlassian account, which only a browser opens.
        case .bitbucket: HTTPSAddress(host: "id.atlassian.com", path: "/manage-profile/security/api-tokens")
        case .other: nil
        }
    }

    /// What the token must permit, in the words of the page; nil if it is not known.
    package var permissions: DisplayText? {
        switch self {
        case .gitea: Gitea.facts.tokenPermissions
        case .bitbucket: "read:repository:bitbucket, write:repository:bitbucket"
        case .other: nil
        }
    }

    /// The name for git if the person gives none; nil if the host tells the account's own, or wants it.
    ///
    /// Bitbucket: "Using API tokens", for scripts that know no name.
    package var anyUsername: String? { if case .bitbucket = self { "x-bitbucket-api-token-auth" } else { nil } }

    /// They ended on 28 July 2026 ("Using app passwords"), and API tokens took their place.
    package func isAppPassword(_ token: Secret) -> Bool {
        if case .bitbucket = self { token.reveal { $0.starts(with: "ATBB".utf8) } } else { false }
    }

    /// Who the owner of a token is; nil if the host has no API that tells it.
    ///
    /// Bitbucket's `GET /2.0/user` takes an API token only with the account's email address, and only if the token has
    /// a permission that git does not need. So its tokens are tried by git's own protocol (`trial`).
    package func account(of token: Secret, over transport: any Transport) -> AccountAnswer? {
        if case .gitea(let gitea) = self { gitea.account(of: token, over: transport) } else { nil }
    }
}

/// What a host's own challenge says about the kind of service it is.
///
/// It chooses the words for a person, and a page on that very host. No client ID is sent because of it, and no
/// configuration is written.
package enum RecognizedHost: Equatable {
    /// As people call it.
    case signIn(ProviderID, DisplayText)
    /// A person makes a token there.
    case bitbucket(isCloud: Bool)

    /// Asks a host as git does before a push, without any credential.
    ///
    /// - Returns: nil if the answer says nothing that we know.
    /// - Throws: why there is no answer of a git server: `.transport`, or `.unavailable` for an error or a web page.
    package init?(asking origin: HTTPSAddress, over transport: any Transport) throws(SignInError) {
        let response = try rethrowing(
            as: SignInError.transport, try GitProbe.push.answer(at: "git/git.git", on: origin, over: transport))
        let isBlocked = [200, 403].contains(response.status) && response.isPage
        guard !isBlocked, response.status != 429, response.status < 500 else {
            throw .unavailable(status: response.status)
        }
        guard response.status == 401 else { return nil }
        let challenges = response.headers.filter { $0.name == "www-authenticate" }.map(\.value)
        guard let known = challenges.prefix(Self.mostChallenges).compactMap(Self.init(challenge:)).first else {
            return nil
        }
        self = known
    }

    /// Reads the realm of a `WWW-Authenticate` header.
    package init?(challenge: [UInt8]) {
        var parameters = ChallengeParameters(Array(challenge.prefix(Self.longestChallenge)))
        while let (name, value) = parameters.next() {
            guard ASCII.equalsIgnoringCase(name, "realm") else { continue }
            guard let known = Self.realms.first(where: { ASCII.equalsIgnoringCase(value, $0.realm) }) else { continue }
            self = known.host
            return
        }
        return nil
    }

    private static let mostChallenges = 8
    private static let longestChallenge = 1_024
    private static let realms: [(realm: String, host: RecognizedHost)] =
        ProviderID.allCases.flatMap { id in
            id.kind.facts.realms.map { ($0, .signIn(id, DisplayText(trusted: $0))) }
        } + [
            ("Bitbucket", .bitbucket(isCloud: true)), ("Bitbucket.org HTTP", .bitbucket(isCloud: true)),
            // Bitbucket Data Center has pages of its own.
            ("Atlassian Bitbucket", .bitbucket(isCloud: false)),
        ]
}
