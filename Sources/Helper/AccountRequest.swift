package import CredentialCore
package import Messages
internal import Providers

/// The source of the account that a sign-in is for, which is also where it can be changed.
package enum AccountRequest: Equatable {
    /// A command to sign in.
    case person
    /// git's configuration; the scope is the option of `git config` that chooses the file.
    case configuration(key: DisplayText, scope: DisplayText = "--global")
    /// The address of a clone: a host and a path.
    case clone(DisplayText)
    /// The address of a submodule that was not cloned yet.
    case submodule(DisplayText)
    /// A remote's address; the folder is `nil` for the current repository.
    case remote(DisplayText, folder: DisplayText? = nil, DisplayText)

    /// Returns the place and the command that change the account to `account`, or to none.
    ///
    /// The result is `nil` for a person, who names the account in a command.
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

    /// Returns a host and a path as in an address, with capitals for an unknown part or one that could not be pasted.
    package static func address(_ host: DisplayText, _ path: String?) -> DisplayText {
        let path = path.flatMap { RepositoryAddress("https://\(host)/\($0)")?.path }
        return "\(host)/\(path.map { DisplayText(trusted: $0) } ?? "OWNER/REPOSITORY")"
    }
}

/// The repository for which git asks, as far as it is known.
package struct AskingRepository {
    package enum Location: Equatable {
        case clone
        /// A submodule that was not cloned yet.
        case submodule
        /// A repository, which is the person's current one for `nil`.
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
    /// Returns the source from which git has the account.
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

    /// Returns why nobody can sign in as the requested account, or `nil` if somebody might.
    package func nobodysAccount(_ request: @autoclosure () -> AccountRequest) -> UserFacingError? {
        guard let username, !username.isEmpty, host.provider.facts.isNobodys(username) else { return nil }
        // An app is no account either.
        if needsNoPerson, ASCII.equalsIgnoringCase(username, host.provider.facts.anyUsername) { return nil }
        return .nobodysAccount(credentialContext.shown(username), host: host.displayName, request())
    }
}

extension CredentialContext {
    /// Returns an account's name for a text.
    ///
    /// The result is `nil` on a host with sign-ins for a name that the host cannot have: the author of an address chose
    /// it, and the name could be an instruction to the reader.
    package func shown(_ account: [UInt8]) -> DisplayText? {
        guard !TokenShape.fits(account) else { return .token }
        if let provider = signInHost?.provider {
            let isPlain = ASCII.isPlain(account, with: "-_.@+")
            guard isPlain, account.count <= 64, provider.facts.isAccountName(account) else { return nil }
        }
        return DisplayText(account: account)
    }
}
