package import CredentialCore
package import Helper
internal import Providers

/// The sign-in with a token that the person has created; the host returns its owner, if it can.
extension TokenTarget {
    /// Reads the token, asks the host, saves it, and replaces any token of the account.
    ///
    /// The place keeps what the person enters, in case of another attempt.
    ///
    /// - Returns: the lines to print, or `nil` if the person cancels.
    mutating func signIn(
        asking secret: AskedSecret, for verb: DisplayText, _ questions: any Questions, _ dependencies: Dependencies
    ) throws(UserFacingError) -> [Message]? {
        let isTyped = questions.isInputTyped || secret == .pastedToken
        if isTyped, place?.ask(questions, reporting: dependencies.report) == false { return nil }
        guard let token = questions.ask(Message("Token for %1$s (not shown): ", host), for: secret) else { return nil }
        let asked: DisplayText = username.map { " \(word: DisplayText(account: $0))" } ?? ""
        let command: DisplayText = "git credential-gitspace \(verb) \(word: host)\(asked) --with-token"
        guard !token.isEmpty else {
            let way =
                isTyped
                ? [Message("then paste it:"), .command(command)]
                : [Message("then pass it:"), .command("\(command) <token.txt")]
            throw UserFacingError(
                .tokenUnusable, isTyped ? Message("no token was entered") : Message("no token on standard input"),
                UserFacingError.newToken(page) + way)
        }
        if let fault = UserFacingError.damage(of: token, passedTo: command) { throw fault }
        guard token.isToken else { throw .malformedToken }
        if let place { return try tried(token, at: place, dependencies) + kept(dependencies) }
        let isTold = provider.facts.tokenCheck == .owner
        let holder = isTold ? provider.holder(of: token, over: transport) : .good
        let account = try account(holder)
        _ = try keep(token, as: account, id: holder.id, with: dependencies)
        let name = DisplayText(account: account)
        guard !isTold else {
            return [.signedIn(as: name, dependencies.keyring.storage)] + [dependencies.shareInstead].compactMap(\.self)
        }
        return [unchecked(name)] + kept(dependencies)
    }

    private func kept(_ dependencies: Dependencies) -> [Message] {
        [.kept(in: dependencies.keyring.storage)] + [dependencies.shareInstead].compactMap(\.self)
    }

    private func unchecked(_ name: DisplayText) -> Message {
        Message("Stored the token of %2$s for %1$s without checking it with the server.", host, name)
    }

    /// Tries a token before it is stored, if there is a repository to try it on.
    private func tried(
        _ token: Secret, at place: TokenTrialPlace, _ dependencies: Dependencies
    ) throws(UserFacingError) -> [Message] {
        let name = DisplayText(account: place.username.utf8)
        var said = [unchecked(name)]
        if let path = place.repository {
            let repository = DisplayText(trusted: path)
            if try isPublic(path, token, place.username) {
                said.append(Message("%1$s is public, so it could not show whether the token is good.", repository))
            } else {
                said = [Message("%1$s accepted the token for %2$s. Stored as %3$s.", host, repository, name)]
            }
        }
        _ = try keep(token, as: Array(place.username.utf8), with: dependencies)
        return said
    }

    /// Whether everybody may read the repository, which then does not prove the token.
    ///
    /// - Throws: an error if the token does not work there.
    private func isPublic(_ path: String, _ token: Secret, _ username: String) throws(UserFacingError) -> Bool {
        let repository = DisplayText(trusted: path)
        let credential = StoredCredential(username: Array(username.utf8), password: token)
        let answer: RepositoryAnswer
        do throws(TransportError) {
            answer = try provider.repository(path, as: credential, over: transport)
        } catch {
            throw error == .interrupted ? .interrupted : .tokenNotVerified(host: host)
        }
        switch answer {
        case .reached(let rights) where rights.isPublic != nil: return rights.isPublic == true
        case .tokenRejected where provider.isAppPassword(token): throw .appPassword(host: host, page: page)
        case .tokenRejected:
            throw .tokenRefused(
                host: host, repository, as: DisplayText(account: username.utf8), permissions: permissions, page: page)
        case .notFound, .refused(status: 403):
            throw .tokenReachesNothing(host: host, repository, permissions: permissions)
        default: throw .tokenNotVerified(host: host)
        }
    }

    /// Saves a token of a known owner, unless `stays` is true for the account's stored credential.
    ///
    /// - Returns: whether the token was saved.
    func keep(
        _ token: Secret, as username: [UInt8], id: Int64? = nil, with dependencies: Dependencies,
        unless stays: ((StoredCredential) -> Bool)? = nil
    ) throws(UserFacingError) -> Bool {
        var credential = StoredCredential(
            username: username, password: token,
            grant: StoredCredential.Grant(clientID: nil, since: dependencies.clock.now, accountID: id))
        credential.authtype = authtype
        return try dependencies.signals.whileSignalsWait {
            dependencies.saveSignIn(credential, of: context, unless: stays)
        }.get()
    }

    private func account(_ holder: Holder) throws(UserFacingError) -> [UInt8] {
        guard holder != .interrupted else { throw .interrupted }
        if let name = holder.username(asked: username) { return name }
        if holder == .good, permissions == nil {
            guard let name = username else {
                throw needsAccount ? .tokenNeedsAccount(host: host) : .tokenNeedsName(host: host)
            }
            return name
        }
        if let asked = username, let owner = holder.owner {
            throw .tokenOfAnother(asked: context.shown(asked), owner: owner)
        }
        if holder == .rejected { throw .tokenRefused(host: host, page: page) }
        guard let permissions = permissions else { throw .tokenNotVerified(host: host) }
        throw .tokenOwnerUnknown(host: host, permissions: permissions)
    }
}

/// The repository and the account with which a token is tried, on a host that returns neither its owner nor its state.
struct TokenTrialPlace {
    private let provider: any Provider
    /// The repository, such as `workspace/name`, or `nil` if none is known.
    private(set) var repository: String?
    private var known: String?
    /// Whether the command names the repository, so that the person need not be asked.
    private let isRepositoryNamed: Bool
    private let isUsernameNamed: Bool

    /// Takes missing values from the current repository's remote; `typed` is the command's host, perhaps with a path.
    init(_ provider: any Provider, typed: String?, username: [UInt8]?, remote: () -> String?) throws(UserFacingError) {
        self.provider = provider
        let named = typed.flatMap { Self.address($0, on: provider.host.name) }
        let found = named ?? remote().flatMap { Self.address($0, on: provider.host.name) }
        isRepositoryNamed = named != nil
        isUsernameNamed = username != nil
        repository = found?.segments.joined(separator: "/")
        known = username.map { String(decoding: $0, as: UTF8.self) } ?? found?.username
        if let username, !Self.isUsername(username) {
            throw .notAUsername(isAddress: username.contains(UInt8(ascii: "@")), host: provider.host.displayName)
        }
    }

    var username: String { known ?? provider.facts.anyUsername }

    /// `nil` if any name will do.
    var knownUsername: [UInt8]? { known.map { Array($0.utf8) } }

    /// Asks for missing values; false if the person cancels.
    mutating func ask(_ questions: any Questions, reporting report: (UserFacingError) -> Void) -> Bool {
        let host = provider.host.displayName
        // An empty line changes nothing.
        func ask(_ question: Message, _ take: (String) -> UserFacingError?) -> Bool {
            while let line = questions.ask(question) {
                guard !line.isEmpty, let error = take(line) else { return true }
                report(error)
            }
            return false
        }
        if !isRepositoryNamed {
            let question =
                repository.map { DisplayText(trusted: $0) }.map {
                    Message("A private repository on %1$s to try the token with [%2$s]: ", host, $0)
                } ?? Message("A private repository on %1$s to try the token with (Enter for none): ", host)
            let isAnswered = ask(question) { line in
                guard let address = Self.address(line, on: provider.host.name) else { return .noRepository(on: host) }
                repository = address.segments.joined(separator: "/")
                if !isUsernameNamed, let username = address.username { known = username }
                return nil
            }
            guard isAnswered else { return false }
        }
        guard !isUsernameNamed else { return true }
        let suggested = DisplayText(account: username.utf8)
        return ask(Message("Your user name on %1$s, not your e-mail address [%2$s]: ", host, suggested)) { line in
            guard Self.isUsername(Array(line.utf8)) else {
                return .notAUsername(isAddress: line.utf8.contains(UInt8(ascii: "@")), host: host)
            }
            known = line
            return nil
        }
    }

    /// Reads a repository of the host, by its address or as `WORKSPACE/NAME`.
    private static func address(_ text: String, on host: HostName) -> RepositoryAddress? {
        RepositoryAddress(text, on: host).flatMap { $0.host == host && $0.segments.count == 2 ? $0 : nil }
    }

    private static func isUsername(_ name: [UInt8]) -> Bool { !name.isEmpty && ASCII.isPlain(name, with: "-_.") }
}

extension UserFacingError {
    package static func tokenOwnerUnknown(host: DisplayText, permissions: DisplayText?) -> UserFacingError {
        UserFacingError(
            .tokenUnusable, Message("%1$s did not say whose token this is; nothing was stored", host),
            needed(permissions))
    }

    package static let malformedToken = UserFacingError(
        .tokenUnusable, Message("invalid token: it must be one line of letters, digits and _ . ~ + / = -"))

    /// The error for one of the usual ways in which a file or the clipboard damages a token, or `nil` for another token.
    fileprivate static func damage(of token: Secret, passedTo command: DisplayText) -> UserFacingError? {
        let quotes = ["\"", "'", "`", "\u{201c}", "\u{201d}", "\u{2018}", "\u{2019}"].map { Array($0.utf8) }
        func fault(_ text: Message, _ hints: Message...) -> UserFacingError {
            UserFacingError(.tokenUnusable, text, hints)
        }
        return token.reveal { bytes in
            if bytes.contains(0) || [[0xff, 0xfe], [0xfe, 0xff]].contains(where: { bytes.starts(with: $0) }) {
                return fault(
                    Message("invalid token: it is encoded in UTF-16"), Message("convert the file to plain text:"),
                    .command("iconv -f UTF-16 -t UTF-8 token.txt | \(command)"))
            }
            if bytes.firstRange(of: "://".utf8) != nil {
                return fault(
                    Message("invalid token: it is a URL"),
                    Message("in https://NAME:TOKEN@HOST, the token is the part between : and @; enter that alone"))
            }
            if bytes.contains(where: { $0 == 0x0a || $0 == 0x0d }) {
                return fault(
                    Message("invalid token: there is more than one line"),
                    Message("enter the line with the token alone"))
            }
            if quotes.contains(where: { bytes.starts(with: $0) }) {
                return fault(Message("invalid token: it is in quotation marks"), Message("enter it without them"))
            }
            guard invisibleCharacters.contains(where: { bytes.firstRange(of: $0.utf8) != nil }) else { return nil }
            return fault(
                Message("invalid token: it contains a no-break space or another invisible character"),
                Message("copy it again from the page that showed it, or from another program"))
        }
    }

    private static let invisibleCharacters = [
        "\u{a0}", "\u{ad}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{200e}", "\u{200f}", "\u{202f}", "\u{2060}",
        "\u{feff}",
    ]

    package static func tokenReachesNothing(
        host: DisplayText, _ repository: DisplayText, permissions: DisplayText?
    ) -> UserFacingError {
        UserFacingError(
            .tokenUnusable,
            Message("%1$s has no repository %2$s that this token can read; nothing was stored", host, repository),
            needed(permissions))
    }

    package static func appPassword(host: DisplayText, page: HTTPSAddress?) -> UserFacingError {
        UserFacingError(
            .tokenUnusable,
            Message(
                "this is an app password, which %1$s has not accepted since 28 July 2026; nothing was stored", host),
            newToken(page))
    }

    package static func tokenNeedsName(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .tokenNeeded, Message("%1$s accepts the token, but does not tell whose it is; nothing was stored", host),
            Message("name the account, or create a token that may read it (read_user):"),
            .command("git credential-gitspace login \(word: host) NAME --with-token"))
    }
}
