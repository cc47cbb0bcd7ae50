package import CredentialCore
package import Helper
internal import Providers

/// The sign-in with a token that the person has created; the host returns its owner, if it can.
struct TokenLogin {
    private let target: TokenTarget
    private var place: TokenTrialPlace?
    private let questions: any Questions
    private let dependencies: Dependencies

    init(_ target: TokenTarget, _ questions: any Questions, with dependencies: Dependencies) {
        self.target = target
        place = target.place
        self.questions = questions
        self.dependencies = dependencies
    }

    /// Reads the token, asks the host, saves it, and replaces any token of the account.
    ///
    /// - Parameters:
    ///   - secret: the description of the question.
    ///   - verb: the name of the verb, for its errors.
    /// - Returns: the lines to print, or `nil` if the person cancels.
    /// - Throws: the reason why the token is not stored.
    mutating func run(asking secret: AskedSecret, for verb: DisplayText) throws(UserFacingError) -> [Message]? {
        let isTyped = questions.isInputTyped || secret == .pastedToken
        if isTyped, var place {
            guard place.ask(questions, reporting: dependencies.report) else { return nil }
            self.place = place
        }
        let question = Message("Token for %1$s (not shown): ", target.host)
        guard let token = questions.ask(question, for: secret) else { return nil }
        guard !token.isEmpty else {
            throw .noToken(host: target.host, page: target.page, verb: verb, isTyped: isTyped)
        }
        if let fault = MalformedToken(token) { throw .malformedToken(fault, host: target.host, verb: verb) }
        guard token.isToken else { throw .malformedToken }
        if let place { return try run(token, place) }
        let answer = target.owner(token)
        let account = try account(answer)
        _ = try keep(token, as: account, id: answer?.id)
        let name = DisplayText(account: account)
        guard answer == nil else {
            return [.signedIn(as: name, dependencies.keyring.storage)] + [dependencies.shareInstead].compactMap(\.self)
        }
        return [Message("Stored the token of %2$s for %1$s without checking it with the server.", target.host, name)]
            + kept
    }

    /// Tries a token before it is stored, if there is a repository to try it on.
    private func run(_ token: Secret, _ place: TokenTrialPlace) throws(UserFacingError) -> [Message] {
        let (host, name) = (target.host, DisplayText(account: place.username.utf8))
        let repository = place.repository.map { DisplayText(trusted: $0) }
        let trial = place.repository.flatMap { target.trial(token, place.username, $0) }
        switch (trial, repository) {
        case (.rejected, let repository?):
            throw target.isAppPassword(token)
                ? .appPassword(host: host, page: target.page)
                : .tokenRefused(
                    host: host, repository, as: name, permissions: target.permissions, page: target.page)
        case (.notFound, let repository?):
            throw .tokenReachesNothing(host: host, repository, permissions: target.permissions)
        case (.unknown, _): throw .tokenNotVerified(host: host)
        case (.interrupted, _): throw .interrupted
        default: break
        }
        _ = try keep(token, as: Array(place.username.utf8))
        var lines: [Message] = []
        switch (trial, repository) {
        case (.accepted, let repository?):
            lines.append(Message("%1$s accepted the token for %2$s. Stored as %3$s.", host, repository, name))
        default:
            lines.append(Message("Stored the token of %2$s for %1$s without checking it with the server.", host, name))
        }
        if trial == .isPublic, let repository {
            lines.append(Message("%1$s is public, so it could not show whether the token is good.", repository))
        }
        return lines + kept
    }

    private var kept: [Message] {
        [.kept(in: dependencies.keyring.storage)] + [dependencies.shareInstead].compactMap(\.self)
    }

    /// Saves a token after the host has returned its owner.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - username: the owner.
    ///   - id: the owner's number at the host, or `nil` if the host returns none.
    ///   - stays: decides whether the account's token that is stored by then stays, or `nil` to replace it in any case.
    /// - Returns: whether the token was saved.
    /// - Throws: the reason why the token could not be saved.
    func keep(
        _ token: Secret, as username: [UInt8], id: Int64? = nil, unless stays: ((StoredCredential) -> Bool)? = nil
    ) throws(UserFacingError) -> Bool {
        var credential = StoredCredential(
            username: username, password: token,
            grant: StoredCredential.Grant(clientID: nil, since: dependencies.clock.now, accountID: id))
        credential.authtype = target.authtype
        return try dependencies.signals.whileSignalsWait {
            Save(with: dependencies).run(signIn: credential, of: target.context, unless: stays)
        }.get()
    }

    private func account(_ answer: AccountAnswer?) throws(UserFacingError) -> [UInt8] {
        guard let answer else {
            guard let name = target.username ?? target.anyUsername.map({ Array($0.utf8) }) else {
                throw .tokenNeedsAccount(host: target.host)
            }
            return name
        }
        guard answer != .interrupted else { throw .interrupted }
        if let name = answer.username(asked: target.username) { return name }
        if answer == .accepted(names: []), target.permissions == nil {
            guard let name = target.username else { throw .tokenNeedsName(host: target.host) }
            return name
        }
        if let asked = target.username, let owner = answer.owner {
            throw .tokenOfAnother(asked: target.context.shown(asked), owner: owner)
        }
        if answer == .rejected { throw .tokenRefused(host: target.host, page: target.page) }
        guard let permissions = target.permissions else { throw .tokenNotVerified(host: target.host) }
        throw .tokenOwnerUnknown(host: target.host, permissions: permissions)
    }
}

/// The usual ways in which a file or the clipboard damages a token.
package enum MalformedToken {
    case utf16
    /// `https://NAME:TOKEN@HOST`, as in git-credential-store's file.
    case url
    case lines
    case quotes
    /// A no-break space, a zero-width character or the like.
    case invisible

    /// Recognizes the damage, or returns `nil` for any other token.
    package init?(_ token: Secret) {
        let found = token.reveal { bytes -> MalformedToken? in
            let quotes = ["\"", "'", "`", "\u{201c}", "\u{201d}", "\u{2018}", "\u{2019}"].map { Array($0.utf8) }
            if bytes.contains(0) || [[0xff, 0xfe], [0xfe, 0xff]].contains(where: { bytes.starts(with: $0) }) {
                return .utf16
            }
            if bytes.firstRange(of: "://".utf8) != nil { return .url }
            if bytes.contains(where: { $0 == 0x0a || $0 == 0x0d }) { return .lines }
            if quotes.contains(where: { bytes.starts(with: $0) }) { return .quotes }
            return Self.invisibleCharacters.contains { bytes.firstRange(of: $0.utf8) != nil } ? .invisible : nil
        }
        guard let found else { return nil }
        self = found
    }

    private static let invisibleCharacters = [
        "\u{a0}", "\u{ad}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{200e}", "\u{200f}", "\u{202f}", "\u{2060}",
        "\u{feff}",
    ]
}

extension UserFacingError {
    package static func noToken(
        host: DisplayText, page: HTTPSAddress?, verb: DisplayText, isTyped: Bool
    ) -> UserFacingError {
        let command: DisplayText = "git credential-gitspace \(verb) \(word: host) --with-token"
        return isTyped
            ? UserFacingError(
                .tokenUnusable, Message("no token was entered"),
                newToken(page) + [Message("then paste it:"), .command(command)])
            : UserFacingError(
                .tokenUnusable, Message("no token on standard input"),
                newToken(page) + [Message("then pass it:"), .command("\(command) <token.txt")])
    }

    package static func tokenOwnerUnknown(host: DisplayText, permissions: DisplayText?) -> UserFacingError {
        UserFacingError(
            .tokenUnusable, Message("%1$s did not say whose token this is; nothing was stored", host),
            needed(permissions))
    }

    package static let malformedToken = UserFacingError(
        .tokenUnusable, Message("invalid token: it must be one line of letters, digits and _ . ~ + / = -"))

    package static func malformedToken(
        _ fault: MalformedToken, host: DisplayText, verb: DisplayText
    ) -> UserFacingError {
        switch fault {
        case .utf16:
            UserFacingError(
                .tokenUnusable, Message("invalid token: it is encoded in UTF-16"),
                [
                    Message("convert the file to plain text:"),
                    .command(
                        "iconv -f UTF-16 -t UTF-8 token.txt | git credential-gitspace \(verb) \(word: host) --with-token"
                    ),
                ])
        case .url:
            UserFacingError(
                .tokenUnusable, Message("invalid token: it is a URL"),
                [Message("in https://NAME:TOKEN@HOST, the token is the part between : and @; enter that alone")])
        case .lines:
            UserFacingError(
                .tokenUnusable, Message("invalid token: there is more than one line"),
                [Message("enter the line with the token alone")])
        case .quotes:
            UserFacingError(
                .tokenUnusable, Message("invalid token: it is in quotation marks"),
                [Message("enter it without them")])
        case .invisible:
            UserFacingError(
                .tokenUnusable, Message("invalid token: it contains a no-break space or another invisible character"),
                [Message("copy it again from the page that showed it, or from another program")])
        }
    }

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
                "this is an app password, which %1$s no longer accepts since 28 July 2026; nothing was stored", host),
            newToken(page))
    }

    package static func tokenNeedsName(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .tokenNeeded, Message("%1$s accepts the token, but does not tell whose it is; nothing was stored", host),
            [
                Message("name the account, or create a token that may read it (read_user):"),
                .command("git credential-gitspace login \(word: host) NAME --with-token"),
            ])
    }
}
