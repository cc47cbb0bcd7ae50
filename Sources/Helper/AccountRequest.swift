package import CredentialCore
package import Messages
internal import Providers

/// Where the account is named that a sign-in is asked for, and so where another one can be.
package enum AccountRequest: Equatable {
    /// In a command to sign in.
    case person
    /// In git's configuration; the scope is the option of `git config` that chooses the file.
    case configuration(key: DisplayText, scope: DisplayText = "--global")
    /// In the address of a clone: a host and a path.
    case clone(DisplayText)
    /// In that of a submodule of which there is no clone yet.
    case submodule(DisplayText)
    /// In a remote's; nil for a repository in the current folder.
    case remote(DisplayText, folder: DisplayText? = nil, DisplayText)

    /// What is to be changed, and how: to name that account, or none.
    ///
    /// Nil for a person, who names it in a command.
    func correction(naming account: DisplayText?) -> (place: Message, command: DisplayText)? {
        let user: DisplayText = account.map { "\($0)@" } ?? ""
        switch self {
        case .person: return nil
        case .configuration(let key, let scope):
            let change: DisplayText = account.map { "\(word: key) \(word: $0)" } ?? "--unset-all \(word: key)"
            return (Message("git's configuration"), "git config \(scope) \(change)")
        case .clone(let address): return (Message("the URL"), "git clone https://\(user)\(address)")
        case .submodule(let address):
            return (Message("the submodule's URL in .gitmodules"), "https://\(user)\(address)")
        case .remote(let name, let folder, let address):
            let git: DisplayText = folder.map { "git -C \(word: $0)" } ?? "git"
            return (
                Message("the remote's URL"), "\(git) remote set-url \(word: name) https://\(user)\(address)"
            )
        }
    }

    /// A host and a path as in an address; in capitals, what is unknown or could not be pasted.
    package static func address(_ host: DisplayText, _ path: String?) -> DisplayText {
        let path = path.flatMap { RepositoryAddress("https://\(host)/\($0)")?.path }
        return "\(host)/\(path.map { DisplayText(trusted: $0) } ?? "OWNER/REPOSITORY")"
    }
}

/// The repository for which git asks, as far as it can be found out.
package struct AskingRepository {
    package enum Location: Equatable {
        case clone
        /// Of which there is no clone yet.
        case submodule
        /// Nil for the one in which the person is.
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
    /// Where git has the account from.
    func accountRequest(with dependencies: Dependencies) -> AccountRequest {
        let name = String(decoding: username ?? [], as: UTF8.self)
        let repository = dependencies.askingRepository()
        let remote = repository.remotes.first { isAsked($0.address, as: name) }
        let lines = ((try? dependencies.configuration()) ?? []).map {
            OriginatedEntry(scope: "global", origin: "", entry: $0)
        }
        let configured = ConfiguredUsername(lines, for: host.name)
        let line = ([configured.line].compactMap(\.self) + configured.exceptions).first { $0.entry.value == name }
        if remote == nil, let line { return .configuration(key: DisplayText(trusted: line.entry.name)) }
        let told = remote.map { TypedAddress($0.address) }
        let address = AccountRequest.address(
            told.map { DisplayText(untrusted: $0.host.utf8) } ?? host.displayName,
            told?.path ?? path.map { String(decoding: $0, as: UTF8.self) })
        return switch repository.location {
        case .clone: .clone(address)
        case .submodule: .submodule(address)
        case .folder(let folder):
            .remote(
                DisplayText(trusted: remote?.name ?? "origin"), folder: folder.map { DisplayText(trusted: $0) }, address
            )
        }
    }

    private func isAsked(_ address: String, as name: String) -> Bool {
        let address = TypedAddress(address)
        guard address.scheme == "https", address.username == name, let named = HostName(Array(address.host.utf8)) else {
            return false
        }
        guard path == nil || path.map({ Array($0) }) == Array(address.path.utf8) else { return false }
        return (SignInHost(builtIn: named)?.name ?? named.canonicalForHTTPS) == host.name
    }

    /// Why nobody can sign in as the account that is asked for; nil if somebody might.
    package func nobodysAccount(_ request: @autoclosure () -> AccountRequest) -> UserFacingError? {
        guard let username, !username.isEmpty, host.provider.facts.isNobodys(username) else { return nil }
        // An app is nobody, too.
        if needsNoPerson, ASCII.equalsIgnoringCase(username, host.provider.facts.anyUsername) { return nil }
        return .nobodysAccount(credentialContext.shown(username), host: host.displayName, request())
    }
}

extension CredentialContext {
    /// An account that somebody has named, for a text.
    ///
    /// Nil for what the names of the host do not consist of, where we sign in: whoever wrote an address has chosen it,
    /// and could give orders with it.
    package func shown(_ account: [UInt8]) -> DisplayText? {
        guard !TokenShape.fits(account) else { return .token }
        if let provider = signInHost?.provider {
            let isPlain = ASCII.isPlain(account, with: "-_.@+")
            guard isPlain, account.count <= 64, provider.facts.isAccountName(account) else { return nil }
        }
        return DisplayText(account: account)
    }
}
