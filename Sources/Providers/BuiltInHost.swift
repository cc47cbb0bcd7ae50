package import CredentialCore

package enum BuiltInHost: String, CaseIterable {
    case gitHub = "github.com"
    case gists = "gist.github.com"
    case gitLab = "gitlab.com"
    case codeberg = "codeberg.org"
    case gitea = "gitea.com"
    case bitbucket = "bitbucket.org"
    case azureDevOps = "dev.azure.com"

    package init?(_ host: HostName) {
        self.init(rawValue: String(decoding: host.canonicalForHTTPS.text, as: UTF8.self))
    }

    package var name: HostName { HostName(name: rawValue) }
}

extension SignInHost {
    /// Makes a known host where a person brings a token as long as there is no client ID; returns `nil` for any other.
    package init?(tokenHost host: HostName) {
        switch BuiltInHost(host) {
        case .codeberg, .gitea: self.init(configured: host, provider: .gitea)
        case .bitbucket: self.init(configured: host, provider: .bitbucket)
        case .gitHub, .gists, .gitLab, .azureDevOps, nil: return nil
        }
    }
}

/// The kind of service that a host's own challenge names.
///
/// A recognized kind chooses only the words and pages for a person. Nothing is sent because of it, and nothing is
/// written to git's configuration without a question.
package struct RecognizedHost: Equatable {
    package let provider: ProviderID
    package let name: DisplayText

    package init(_ provider: ProviderID, _ name: DisplayText) {
        self.provider = provider
        self.name = name
    }

    /// Whether a person can sign in once the provider is set.
    package var takesSignIn: Bool { ProviderID.allCases.contains(provider) }

    /// Whether a person may have to bring a token.
    package var takesTokens: Bool { [.gitea, .bitbucket].contains(provider) }

    /// Asks a host as git does before a push, without any credential; returns `nil` if the answer names no known kind.
    ///
    /// - Throws: `.transport`, or `.unavailable` for an error or a web page instead of a git server's answer.
    package init?(asking origin: HTTPSAddress, over transport: any Transport) throws(SignInError) {
        let response = try rethrowing(
            as: SignInError.transport, try GitProbe.push.response(at: "git/git.git", on: origin, over: transport))
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
            id.kind.facts.realms.map { ($0, RecognizedHost(id, DisplayText(trusted: $0))) }
        } + Bitbucket.facts.realms.map { ($0, RecognizedHost(.bitbucket, "Bitbucket")) }
        // Bitbucket Data Center lacks the pages of Bitbucket Cloud.
        + [("Atlassian Bitbucket", RecognizedHost(.git, "Bitbucket"))]
}

/// The parameters `name=value` or `name="value"` of a challenge (RFC 9110, 11.2).
///
/// Several challenges in one header are read as one list.
package struct ChallengeParameters {
    private var rest: ArraySlice<UInt8>
    package init(_ challenge: [UInt8]) { rest = challenge[...] }

    /// The next parameter, or `nil` at the end; everything else, such as the name of a scheme, is skipped.
    package mutating func next() -> (name: [UInt8], value: [UInt8])? {
        while let first = rest.first {
            guard Self.isTokenByte(first) else {
                // Skips a quoted text without a name, which could contain another parameter.
                if first == UInt8(ascii: "\"") { _ = quoted() } else { rest = rest.dropFirst() }
                continue
            }
            let name = Array(rest.prefix(while: Self.isTokenByte))
            rest = rest.dropFirst(name.count)
            skipBlanks()
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            skipBlanks()
            if rest.first == UInt8(ascii: "\"") {
                guard let value = quoted() else { return nil }
                return (name, value)
            }
            let value = Array(rest.prefix(while: Self.isTokenByte))
            rest = rest.dropFirst(value.count)
            return (name, value)
        }
        return nil
    }

    /// A quoted string without quotes and escapes (RFC 9110, 5.6.4), or `nil` if it does not end.
    private mutating func quoted() -> [UInt8]? {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return value }
            guard let next = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte else { return nil }
            value.append(next)
        }
        return nil
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

    /// Whether a byte may be in a token (RFC 9110, 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool { ASCII.isLetterOrDigit(byte, or: "!#$%&'*+-.^_`|~") }
}
