package import CredentialCore

/// A host without a device flow: a person makes a token on a page there, and git uses it as a password.
///
/// Nothing here is OAuth. A token that a person has pasted goes to the host that they named, and to no other.
package struct TokenHost: Equatable {
    /// What kind of service it is.
    package enum Kind: Equatable {
        /// Gitea (docs.gitea.com, "API Usage").
        case gitea
        /// Forgejo, whose API is that of Gitea (forgejo.org, "API Usage").
        case forgejo
        /// Bitbucket Cloud (support.atlassian.com, "Using API tokens").
        case bitbucket
        /// Something else.
        case other
    }

    /// The origin of its pages.
    package let origin: HTTPSAddress
    /// What kind of service it is.
    package let kind: Kind

    package init(_ origin: HTTPSAddress, _ kind: Kind) {
        self.origin = origin
        self.kind = kind
    }

    /// The host of that name, if it is one of those that everybody knows.
    package init?(known host: HostName) {
        switch String(decoding: host.canonicalForHTTPS.text, as: UTF8.self) {
        case "codeberg.org": self.init(HTTPSAddress(host: "codeberg.org"), .forgejo)
        case "gitea.com": self.init(HTTPSAddress(host: "gitea.com"), .gitea)
        case "bitbucket.org": self.init(HTTPSAddress(host: "bitbucket.org"), .bitbucket)
        default: return nil
        }
    }

    /// Or Forgejo, which was one.
    fileprivate var isGitea: Bool { kind == .gitea || kind == .forgejo }

    /// Gitea reads a token for git as the password of Basic alone.
    package var takesBearer: Bool { !isGitea }

    /// The page on which a token is made; nil if it is not known.
    package var page: HTTPSAddress? {
        switch kind {
        case .gitea, .forgejo: origin.appending("/user/settings/applications")
        // "Create an API token": the page of the Atlassian account, which only a browser opens.
        case .bitbucket:
            HTTPSAddress(host: "id.atlassian.com", path: "/manage-profile/security/api-tokens")
        case .other: nil
        }
    }

    /// What the token must permit, in the words of the page; nil if it is not known.
    package var permissions: DisplayText? {
        switch kind {
        case .gitea, .forgejo: "repository: read and write, user: read"
        case .bitbucket: "read:repository:bitbucket, write:repository:bitbucket"
        case .other: nil
        }
    }

    /// The name for git if the person gives none; nil if the host tells the account's own, or wants it.
    ///
    /// Bitbucket: "Using API tokens", for scripts that know no name.
    package var anyUsername: String? { kind == .bitbucket ? "x-bitbucket-api-token-auth" : nil }

    /// They ended on 28 July 2026 ("Using app passwords"), and API tokens took their place.
    package func isAppPassword(_ token: Secret) -> Bool {
        kind == .bitbucket && token.reveal { $0.starts(with: "ATBB".utf8) }
    }

    /// Who the owner of a token is; nil if the host has no API that tells it.
    ///
    /// Bitbucket's `GET /2.0/user` takes an API token only with the account's email address, and only if the token has
    /// a permission that git does not need. So its tokens are tried by git's own protocol (`trial`).
    package func account(of token: Secret, over transport: any Transport) -> AccountAnswer? {
        guard isGitea else { return nil }
        let request = HTTPRequest(.get, origin.appending("/api/v1/user"), authorization: .token(token))
        return AccountAnswer(asking: request, for: "login", over: transport)
    }
}

extension SignInHost {
    /// The servers of Gitea and Forgejo that everybody knows; they are sign-in hosts once there is a client ID.
    package init?(publicGitea host: HostName) {
        guard TokenHost(known: host)?.isGitea == true else { return nil }
        self.init(configured: host, provider: .gitea)
    }
}

/// What a host's own challenge says about the kind of service it is.
///
/// It chooses the words for a person, and a page on that very host. No client ID is sent because of it, and no
/// configuration is written.
package enum RecognizedHost: Equatable {
    /// A GitHub Enterprise Server.
    case gitHub
    /// A GitLab.
    case gitLab
    /// A host where a person makes a token.
    case tokens(TokenHost.Kind)

    /// Asks a host as git does before a push, without any credential (gitprotocol-http(5)).
    ///
    /// These services ask for a credential there whether the repository exists or not.
    ///
    /// - Returns: nil if the host does not answer, or says nothing that we know.
    package init?(asking origin: HTTPSAddress, over transport: any Transport) {
        guard let response = try? GitProbe.push.answer(at: "git/git.git", on: origin, over: transport),
            response.status == 401
        else { return nil }
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
    private static let realms: [(realm: String, host: RecognizedHost)] = [
        ("GitHub", .gitHub), ("GitLab", .gitLab), ("Gitea", .tokens(.gitea)), ("Forgejo", .tokens(.forgejo)),
        ("Bitbucket", .tokens(.bitbucket)), ("Bitbucket.org HTTP", .tokens(.bitbucket)),
        // Bitbucket Data Center has pages of its own.
        ("Atlassian Bitbucket", .tokens(.other)),
    ]
}
