internal import CredentialCore
internal import Helper

// What git does for a host by the lines of its configuration: the helpers that it asks, the account, the first request.

/// The credential helpers that git asks for a host, in git's order.
///
/// git takes every line that covers the host, including the plain `credential.helper`, in the order of the files; an
/// empty one clears those before it (gitcredentials(7)).
struct CredentialHelpers {
    private(set) var all: [ConfiguredHelper] = []
    private let host: HostName

    init(_ entries: [OriginatedEntry], for host: HostName, over scheme: [UInt8] = CredentialContext.https) {
        self.host = host
        for line in entries where line.entry.section == "credential" && line.entry.key == "helper" {
            let covers = line.entry.subsection.map {
                URLPattern($0)?.closeness(to: host, over: scheme, path: []) != nil
            }
            guard let value = line.entry.value, covers != false else { continue }
            if value.isEmpty { all = [] } else { all.append(ConfiguredHelper(value: value, line: line)) }
        }
    }

    var own: ConfiguredHelper? { all.first(where: \.isOurs) }

    /// Other programs' helpers, which get the token too, or whose tokens the person gets.
    var others: [OtherHelper] {
        let own = all.firstIndex(where: \.isOurs)
        return all.indices.filter { !all[$0].isOurs }.map { index in
            let position = own.map { index < $0 ? OtherHelper.Position.before : .after } ?? .instead
            return OtherHelper(helper: all[index], position: position, host: host.shown)
        }
    }

    var inFront: OtherHelper? { others.first { $0.position != .after } }

    /// Returns why git does not ask this program first, with the command that changes it, or `nil` if git does.
    func advice(_ shown: DisplayText) -> [Message]? {
        guard inFront != nil || own == nil else { return nil }
        let command: DisplayText = "git credential-gitspace configure \(word: shown)"
        return [
            inFront?.sentence ?? Message("git is not set up to use gitspace for %1$s", shown),
            Message("To have git use gitspace: %1$s", Verbatim(command)),
        ]
    }
}

struct OtherHelper: Equatable {
    /// As seen from our helper.
    enum Position {
        case before
        case after
        case instead
    }

    let helper: ConfiguredHelper
    let position: Position
    let host: DisplayText

    var sentence: Message {
        let who = Message("the helper %1$s", helper.name)
        return switch position {
        case .instead: Message("git uses %1$s instead of gitspace for %2$s (set in %3$s)", who, host, helper.place)
        case .before:
            Message(
                "%1$s runs before gitspace for %2$s: its answer is used instead, and it receives your tokens (set in %3$s)",
                who, host, helper.place)
        case .after:
            Message("%1$s runs after gitspace for %2$s and receives its tokens (set in %3$s)", who, host, helper.place)
        }
    }
}

/// A line of git's configuration that names a credential helper.
///
/// Its value can contain a password: only names, and words of a shell command that cannot be a secret, are ever shown.
struct ConfiguredHelper: Equatable {
    let value: String
    let line: OriginatedEntry

    // MARK: Owner of the helper

    /// Whether the line names this program and nothing more; a repository's path may lead to any program of that name.
    var isOurName: Bool { line.isTrusted ? HelperCommand.isOurs(value) : value == HelperCommand.short.value }

    /// Whether the line calls this program, perhaps with arguments or in a shell command.
    var isOurs: Bool {
        isOurName || line.isTrusted && (program.map { $0 == "gitspace" } ?? value.contains("credential-gitspace"))
    }

    var isPlainText: Bool { program.map { $0 == "store" } ?? value.contains("credential-store") }

    /// The program's name without git's prefix, such as `gitspace` or `store`; `nil` for a shell command.
    private var program: String? {
        guard !value.hasPrefix("!") else { return nil }
        let program = value.prefix { $0 != " " }.split(separator: "/").last.map(String.init) ?? ""
        let prefix = "git-credential-"
        return program.hasPrefix(prefix) ? String(program.dropFirst(prefix.count)) : program
    }

    // MARK: Display

    /// The program's name, or the harmless part of a shell command.
    var name: DisplayText { DisplayText(untrusted: (program ?? spelling).utf8) }

    /// `nil` for a command line, an environment or the like.
    var file: DisplayText? { line.scope == "command" ? nil : DisplayText(untrusted: line.origin.utf8) }
    var place: Message { line.shownOrigin }
    var row: Message { .indented(Message("%1$s (in %2$s)", DisplayText(untrusted: spelling.utf8), line.shownOrigin)) }

    /// The harmless part of the value: only the first word of a helper with arguments.
    ///
    /// The words of a shell command are shown up to the first one that may be more than a name: all words of `!gh auth
    /// git-credential`, hardly any of `!f() { ...`.
    private var spelling: String {
        guard value.hasPrefix("!") else { return value.split(separator: " ").first.map(String.init) ?? "" }
        let words = value.dropFirst().split(whereSeparator: { $0.isWhitespace })
        guard let program = words.first, Self.isName(program, mayHaveDigits: true) else { return "!..." }
        var shown = "!" + program
        // A command that only prints may print a password.
        let mayGoOn = !["echo", "printf"].contains(program.split(separator: "/").last)
        var rest = words.dropFirst()
        while mayGoOn, let word = rest.first, Self.isName(word, mayHaveDigits: false), shown.utf8.count < Self.longest {
            shown += " " + word
            rest = rest.dropFirst()
            if Self.announcesSecret(word) { break }
        }
        return rest.isEmpty ? shown : shown + " ..."
    }

    private static let longest = 50

    /// Whether a word may be a program, a subcommand or an option: a token has digits.
    private static func isName(_ word: Substring, mayHaveDigits: Bool) -> Bool {
        word.utf8.count <= longest
            && ASCII.isPlain(word.utf8, with: "/._-~") && (mayHaveDigits || !word.utf8.contains(where: ASCII.isDigit))
    }

    private static func announcesSecret(_ word: Substring) -> Bool {
        let word = word.lowercased()
        return ["pass", "token", "secret", "key", "user"].contains { word.contains($0) } || word == "-p" || word == "-u"
    }

    /// How to remove the line: by a command, unless there is none or it might show a secret.
    var removal: [Message] {
        guard let file = line.fileOption else { return [Message("remove it where git is started")] }
        let key = line.entry.subsection.map { "credential.\($0).helper" } ?? "credential.helper"
        // A shell reads these texts unchanged.
        guard let program, value == program, !key.contains("@"),
            [line.origin, key, program].allSatisfy({ !$0.isEmpty && ASCII.isPlain($0.utf8, with: "/.-_:@+") })
        else { return [Message("remove that line by hand")] }
        let name = DisplayText(trusted: program)
        return [Message("remove it:"), .command("git config \(file) --unset-all \(word: key) '^\(name)$'")]
    }
}

/// The account that git uses for a remote without one, and the reason.
struct DefaultAccount {
    /// The account, which need not be stored.
    let username: [UInt8]
    let reason: Reason

    enum Reason: Equatable {
        case only
        /// The account was stored first among the usable ones.
        case first
        case configured(OriginatedEntry, OriginatedEntry.Reach)
    }

    /// Chooses as git and `get` do: the configured name, or else the first account for the whole host.
    ///
    /// `found` has the best account first; `lines` is git's configuration. Returns `nil` without an account.
    init?(of found: [StoredMatch], at context: CredentialContext, _ lines: [OriginatedEntry], owner: String? = nil) {
        if let line = ConfiguredUsername(lines, for: context.host, owner: owner).line, let name = line.entry.value {
            (username, reason) = (Array(name.utf8), .configured(line, line.reach(among: lines)))
            return
        }
        guard let first = found.first(where: { $0.item.attributes.object == nil }) ?? found.first else { return nil }
        (username, reason) = (first.credential.username, context.usernames(of: found).count == 1 ? .only : .first)
    }

    var shown: DisplayText { DisplayText(account: username) }
}

extension OriginatedEntry {
    /// The repositories for which a line counts.
    enum Reach: Equatable {
        case everywhere
        case repository
        /// The repositories below a folder.
        case folder(DisplayText)
    }

    /// All lines together show that a file is included for a folder.
    func reach(among lines: [OriginatedEntry]) -> Reach {
        ["local", "worktree"].contains(scope)
            ? .repository
            : AccountFolder.path(of: self, among: lines).map { .folder(DisplayText(trusted: $0)) } ?? .everywhere
    }

    /// The option of `git config` for the file, which works in any folder of a worktree; `nil` for git's command line.
    var fileOption: DisplayText? {
        if [".git/config", ".git/config.worktree"].contains(origin) { return "--\(DisplayText(trusted: scope))" }
        let top: DisplayText = origin.hasPrefix(".git/") ? "\"$(git rev-parse --show-toplevel)\"/" : ""
        return scope == "command" ? nil : "--file \(top)\(word: origin)"
    }

    /// The key, as `git config` takes it.
    var shownKey: DisplayText { DisplayText(untrusted: entry.name.utf8) }
    /// The value, empty for a key without one.
    var shownValue: DisplayText { DisplayText(account: (entry.value ?? "").utf8) }
    /// The file, or what git calls a command line, which may be variables as well.
    var shownOrigin: Message {
        origin == "command line:"
            ? Message("the command line") : Message(verbatim: DisplayText(untrusted: origin.utf8))
    }
    var place: Message { .indented(Message("%1$s (in %2$s)", Message(verbatim: shownKey), shownOrigin)) }

    var placeAndValue: Message {
        .indented(Message("%1$s (in %2$s)", Message(verbatim: "\(shownKey) = \(shownValue)"), shownOrigin))
    }
}

extension [OriginatedEntry] {
    /// Whether git sends the token with its first request (`http.<url>.proactiveAuth`), which saves a refused one.
    ///
    /// git then never falls back to a request without a token, so it is only for hosts where an account is signed in.
    func sendTokenAtOnce(to host: HostName) -> Bool {
        let configuration = Configuration(filter(\.isTrusted).map(\.entry), for: host)
        return configuration.value("http", "proactiveAuth").map { $0 != "none" } ?? false
    }
}
