package import CredentialCore

/// A host without a sign-in here: a person creates a token on a page there, which git uses as a password.
///
/// OAuth is not involved. A pasted token is sent only to the host that the person named.
package enum TokenHost {
    /// Gitea or Forgejo, a sign-in host once there is a client ID.
    case gitea(Gitea)
    /// Bitbucket Cloud (support.atlassian.com, "Using API tokens"), by its origin.
    case bitbucket(HTTPSAddress)
    case other

    /// Recognises a well-known host.
    package init?(known host: HostName) {
        if let gitea = SignInHost(publicGitea: host) {
            self = .gitea(Gitea(gitea))
        } else if host.canonicalForHTTPS == HostName(name: "bitbucket.org") {
            self = .bitbucket(HTTPSAddress(host: "bitbucket.org"))
        } else {
            return nil
        }
    }

    /// Recognises a host by its challenge; returns `nil` if it is unknown.
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

    /// The page for creating a token, or `nil` if unknown.
    package var page: HTTPSAddress? {
        switch self {
        case .gitea(let gitea): gitea.page(.newToken)
        // "Create an API token": the page of the Atlassian account, which only a browser opens.
        case .bitbucket: HTTPSAddress(host: "id.atlassian.com", path: "/manage-profile/security/api-tokens")
        case .other: nil
        }
    }

    /// The permissions that the token needs, in the words of the page, or `nil` if unknown.
    package var permissions: DisplayText? {
        switch self {
        case .gitea: Gitea.facts.tokenPermissions
        case .bitbucket: "read:repository:bitbucket, write:repository:bitbucket"
        case .other: nil
        }
    }

    /// The name for git if the person gives none, or `nil` if the host names the account or requires its name.
    ///
    /// Bitbucket: "Using API tokens", for scripts.
    package var anyUsername: String? { if case .bitbucket = self { "x-bitbucket-api-token-auth" } else { nil } }

    /// Whether a token is an app password, which ended on 28 July 2026 ("Using app passwords") in favour of API tokens.
    package func isAppPassword(_ token: Secret) -> Bool {
        if case .bitbucket = self { token.reveal { $0.starts(with: "ATBB".utf8) } } else { false }
    }

    /// The owner of a token, or `nil` if the host has no API for it.
    ///
    /// Bitbucket's `GET /2.0/user` needs the account's email address and a permission that git does not need, so its
    /// tokens are tried by git's own protocol (`trial`).
    package func account(of token: Secret, over transport: any Transport) -> AccountAnswer? {
        if case .gitea(let gitea) = self { gitea.account(of: token, over: transport) } else { nil }
    }
}

/// The kind of service, by a host's own challenge.
///
/// It selects words for a person, and a page on that very host. It never causes a client ID to be sent, or
/// configuration to be written.
package enum RecognizedHost: Equatable {
    /// A sign-in host with its name for people.
    case signIn(ProviderID, DisplayText)
    /// Bitbucket, where a person creates a token.
    case bitbucket(isCloud: Bool)

    /// Asks a host as git does before a push, without a credential.
    ///
    /// - Returns: `nil` if the answer is of no known kind.
    /// - Throws: the reason why no git server answered: `.transport`, or `.unavailable` for an error or a web page.
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
