package import CredentialCore
internal import Providers

/// The source of the account that a sign-in is for, which is also where it can be changed.
package enum AccountRequest: Equatable {
    /// A command to sign in.
    case person
    /// git's configuration; the scope is the option of `git config` that chooses the file.
    case configuration(key: DisplayText, scope: DisplayText = "--global")
    /// A repository's address, which is a host and a path, and the name of its remote if there is a folder.
    case repository(AskingRepository.Location, remote: DisplayText, DisplayText)

    /// Returns the place and the command that change the account to `account`, or to none; `nil` for a person.
    func correction(naming account: DisplayText?) -> (place: Message, command: DisplayText)? {
        let user: DisplayText = account.map { "\($0)@" } ?? ""
        switch self {
        case .person: return nil
        case .configuration(let key, let scope):
            let change: DisplayText = account.map { "\(word: key) \(word: $0)" } ?? "--unset-all \(word: key)"
            return (Message("git's configuration"), "git config \(scope) \(change)")
        case .repository(.clone, _, let address):
            return (Message("the URL"), "git clone https://\(user)\(address)")
        case .repository(.submodule, _, let address):
            return (Message("the submodule's URL in .gitmodules"), "https://\(user)\(address)")
        case .repository(.folder(let folder), let name, let address):
            let git: DisplayText = folder.map { "git -C \(word: DisplayText(trusted: $0))" } ?? "git"
            return (Message("the remote's URL"), "\(git) remote set-url \(word: name) https://\(user)\(address)")
        }
    }

    /// Returns a host and a path as in an address, with capitals for a part that is unknown or could not be pasted.
    package static func address(_ host: DisplayText, _ path: String?) -> DisplayText {
        let path = path.flatMap { RepositoryAddress("https://\(host)/\($0)")?.path }
        return "\(host)/\(path.map { DisplayText(trusted: $0) } ?? "OWNER/REPOSITORY")"
    }
}

package struct AskingRepository {
    package enum Location: Equatable {
        case clone
        /// A submodule that was not cloned yet.
        case submodule
        /// `nil` for the person's current repository.
        case folder(String?)
    }

    package let location: Location
    package let remotes: [(name: String, address: String)]

    package init(_ location: Location = .folder(nil), remotes: [(name: String, address: String)] = []) {
        self.location = location
        self.remotes = remotes
    }
}

extension SignInContext {
    func accountRequest(with dependencies: Dependencies) -> AccountRequest {
        let name = String(decoding: username ?? [], as: UTF8.self)
        let repository = dependencies.askingRepository()
        let remote = repository.remotes.first { isAsked($0.address, as: name) }
        let configured = ConfiguredUsername((try? dependencies.configuration()) ?? [], for: host.name)
        let line = ([configured.line].compactMap(\.self) + configured.exceptions).first { $0.entry.value == name }
        if remote == nil, let line { return .configuration(key: DisplayText(trusted: line.entry.name)) }
        let told = remote.map { TypedAddress($0.address) }
        let address = AccountRequest.address(
            told.map { DisplayText(untrusted: $0.host.utf8) } ?? host.displayName,
            told?.path ?? path.map { String(decoding: $0, as: UTF8.self) })
        return .repository(repository.location, remote: DisplayText(trusted: remote?.name ?? "origin"), address)
    }

    private func isAsked(_ address: String, as name: String) -> Bool {
        let address = TypedAddress(address)
        guard address.scheme == "https", address.username == name, let named = HostName(Array(address.host.utf8)),
            path == nil || path == Array(address.path.utf8)
        else { return false }
        return (SignInHost(builtIn: named)?.name ?? named.canonicalForHTTPS) == host.name
    }

    /// Returns why nobody can sign in as the requested account, or `nil` if somebody might.
    package func nobodysAccount(_ request: @autoclosure () -> AccountRequest) -> UserFacingError? {
        guard let username = askedName, host.provider.facts.isNobodys(username) else { return nil }
        // An app signs in under this name.
        if needsNoPerson, ASCII.equalsIgnoringCase(username, host.provider.facts.anyUsername) { return nil }
        return .nobodysAccount(credentialContext.shown(username), host: host.displayName, request())
    }
}

extension CredentialContext {
    /// Returns the name, or `nil` if it cannot be a name on a host with sign-ins.
    ///
    /// The author of an address chooses the name, which could be an instruction to the reader.
    package func shown(_ account: [UInt8]) -> DisplayText? {
        guard !TokenShape.fits(account) else { return .token }
        if let provider = signInHost?.provider {
            let isPlain = ASCII.isPlain(account, with: "-_.@+")
            guard isPlain, account.count <= 64, provider.facts.isAccountName(account) else { return nil }
        }
        return DisplayText(account: account)
    }
}

/// GitHub's `enterprise_hint` and `domain_hint` in a server's challenge.
///
/// GitHub sends them for an enterprise with managed users, whose logins all end in `_SHORTCODE`. The hint only ranks
/// the stored accounts. A helper that filters by it asks people to sign in again although their account is stored (Git
/// Credential Manager, issues 1382, 1477 and 2194).
struct AccountHint {
    /// The suffixes, such as `_acme`.
    private(set) var loginSuffixes: [[UInt8]] = []

    /// The longest value: a short code has 3 to 8 characters, and an enterprise's name in an address hardly more.
    private static let longestValue = 64
    /// The longest challenge to read, in bytes; some hundred are usual.
    private static let longestChallenge = 2_048
    /// The most suffixes; a server names one enterprise, in two ways.
    private static let mostSuffixes = 4

    /// Reads `WWW-Authenticate` headers.
    init(_ challenges: [[UInt8]]) {
        for challenge in challenges where challenge.count <= Self.longestChallenge {
            var parameters = ChallengeParameters(challenge)
            while let (name, value) = parameters.next() {
                let isHint = ["domain_hint", "enterprise_hint"].contains { ASCII.equalsIgnoringCase(name, $0) }
                guard isHint, loginSuffixes.count < Self.mostSuffixes, (1...Self.longestValue).contains(value.count),
                    ASCII.isPlain(value, with: "-")
                else { continue }
                loginSuffixes.append([UInt8(ascii: "_")] + value)
            }
        }
    }
}
