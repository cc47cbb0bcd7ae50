internal import CredentialCore
internal import Helper
internal import Providers

/// The repository and the account with which a token is tried, on a host that returns neither its owner nor its state.
struct TokenTrialPlace {
    private let host: DisplayText
    private let name: HostName
    private let anyUsername: String
    /// The repository, such as `workspace/name`, or `nil` if none is known.
    private(set) var repository: String?
    private var known: String?
    /// Whether the command names the repository, so that the person need not be asked.
    private let isRepositoryNamed: Bool
    private let isUsernameNamed: Bool

    /// Takes missing values from the current repository's remote; `typed` is the command's host, perhaps with a path.
    init(
        _ provider: any Provider, typed: String?, username: [UInt8]?, remote: () -> String?
    ) throws(UserFacingError) {
        name = provider.host.name
        host = provider.host.displayName
        anyUsername = provider.facts.anyUsername
        let named = typed.flatMap { [name] in Self.address($0, on: name) }
        let found = named ?? remote().flatMap { [name] in Self.address($0, on: name) }
        isRepositoryNamed = named != nil
        isUsernameNamed = username != nil
        repository = found?.segments.joined(separator: "/")
        known = username.map { String(decoding: $0, as: UTF8.self) } ?? found?.username
        if let username, !Self.isUsername(username) {
            throw .notAUsername(isAddress: username.contains(UInt8(ascii: "@")), host: host)
        }
    }

    var username: String { known ?? anyUsername }

    /// `nil` if any name will do.
    var knownUsername: [UInt8]? { known.map { Array($0.utf8) } }

    /// Asks for missing values; false if the person cancels.
    mutating func ask(_ questions: any Questions, reporting report: (UserFacingError) -> Void) -> Bool {
        while !isRepositoryNamed {
            let question =
                repository.map {
                    Message(
                        "A private repository on %1$s to try the token with [%2$s]: ", host,
                        DisplayText(trusted: $0))
                } ?? Message("A private repository on %1$s to try the token with (Enter for none): ", host)
            guard let line = questions.ask(question) else { return false }
            guard !line.isEmpty else { break }
            guard let address = Self.address(line, on: name) else {
                report(.noRepository(on: host))
                continue
            }
            repository = address.segments.joined(separator: "/")
            if !isUsernameNamed, let username = address.username { known = username }
            break
        }
        while !isUsernameNamed {
            let suggested = DisplayText(account: username.utf8)
            let question = Message("Your user name on %1$s, not your e-mail address [%2$s]: ", host, suggested)
            guard let line = questions.ask(question) else { return false }
            guard !line.isEmpty else { break }
            guard Self.isUsername(Array(line.utf8)) else {
                report(.notAUsername(isAddress: line.utf8.contains(UInt8(ascii: "@")), host: host))
                continue
            }
            known = line
            break
        }
        return true
    }

    /// Reads a repository of the host, by its address or as `WORKSPACE/NAME`.
    private static func address(_ text: String, on host: HostName) -> RepositoryAddress? {
        RepositoryAddress(text, on: host).flatMap { $0.host == host && $0.segments.count == 2 ? $0 : nil }
    }

    private static func isUsername(_ name: [UInt8]) -> Bool {
        !name.isEmpty && ASCII.isPlain(name, with: "-_.")
    }
}
