package import ArgumentParser
package import CredentialCore
package import Helper
package import Providers
package import Share

/// A verb for people: its arguments with their help, its work, its words and its JSON, in one file.
package protocol Verb: ParsableCommand {
    /// The parser creates the verb, so its dependencies come here.
    ///
    /// - Throws: an error that has not been reported yet.
    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus
}

package enum ExitStatus: Int32 {
    case done = 0
    /// The verb has printed the reason.
    case failed = 1
    case cancelled = 130
}

/// The order is that of `--help`.
package let verbs: [any ParsableCommand.Type] = [
    Setup.self, Login.self, Logout.self, Refresh.self, Status.self, Switch.self, Unlock.self, Check.self,
    Doctor.self, Configure.self, Unconfigure.self, Share.self, ShareSSH.self, ListShares.self, StopShare.self,
]

/// Joins a verb of two words, such as `share list`, into the parser's name for it, also in requests for its help.
package func joiningVerb(_ arguments: [String]) -> [String] {
    if arguments.first == "help" { return ["help"] + joiningVerb(Array(arguments.dropFirst())) }
    let name = arguments.prefix(2).joined(separator: " ")
    guard verbs.contains(where: { $0.configuration.commandName == name }) else { return arguments }
    return [name] + arguments.dropFirst(2)
}

/// Everything outside that the verbs use; the composition root creates it.
package struct VerbDependencies {
    /// Creates the operations' dependencies for a host, again at each call: the verb may have changed git's settings.
    package var dependencies: (HostName?) -> Dependencies
    package var questions: any Questions
    package var files: any ConfigurationFiles
    /// Other programs' items in the keyring, and files in which other tools store credentials.
    package var foreignKeyring: any ForeignKeyring
    package var foreignFiles: any ForeignFiles
    package var inspections: (HostName?) -> any Inspections
    /// The keyring for `unlock`, which asks for the password itself.
    package var unlockableKeyring: () -> any KeyringUnlocking
    private let makeSharing: (VerbDependencies) -> ShareDependencies
    /// The address of the current repository's remote.
    package var remote: () -> String?
    package var branch: () -> String?
    package var isInterrupted: () -> Bool
    /// Writes a line for people to standard output, at once.
    package var say: (Message) -> Void
    /// Writes a text for programs to standard output.
    package var print: (String) -> Void

    package init(
        dependencies: @escaping (HostName?) -> Dependencies, questions: any Questions, files: any ConfigurationFiles,
        foreignKeyring: any ForeignKeyring, foreignFiles: any ForeignFiles,
        inspections: @escaping (HostName?) -> any Inspections, unlockableKeyring: @escaping () -> any KeyringUnlocking,
        sharing: @escaping (VerbDependencies) -> ShareDependencies, remote: @escaping () -> String?,
        branch: @escaping () -> String?,
        isInterrupted: @escaping () -> Bool, say: @escaping (Message) -> Void, print: @escaping (String) -> Void
    ) {
        self.dependencies = dependencies
        self.questions = questions
        self.files = files
        self.foreignKeyring = foreignKeyring
        self.foreignFiles = foreignFiles
        self.inspections = inspections
        self.unlockableKeyring = unlockableKeyring
        makeSharing = sharing
        self.remote = remote
        self.branch = branch
        self.isInterrupted = isInterrupted
        self.say = say
        self.print = print
    }

    var sharing: ShareDependencies { makeSharing(self) }
    func say(_ lines: [Message]) { lines.forEach(say) }

    /// Says nothing without lines.
    func say(_ heading: Message, above lines: [Message]) { if !lines.isEmpty { say([heading] + lines) } }

    /// Whether somebody is at the terminal, and nothing forbids a question; standard input may be for something else.
    func mayAsk(_ dependencies: Dependencies, evenIfPiped: Bool = false) -> Bool {
        questions.canAsk && (evenIfPiped || questions.isInputTyped) && ContextResolver(with: dependencies).mayAsk
    }

    /// Asks until the answer is clear; an empty one means `usual`, and `nil` is for Ctrl-C.
    func isYes(_ question: Message, or usual: Bool = true) -> Bool? {
        while let answer = questions.ask(question)?.lowercased() {
            if answer.isEmpty { return usual }
            if ["y", "yes", "ㅛ", "예", "네"].contains(answer) { return true }
            if ["n", "no", "ㅜ", "아니요", "아니오"].contains(answer) { return false }
        }
        return nil
    }
}

/// The inspections of the machine that only `doctor` needs, which change nothing, and each end within seconds.
package protocol Inspections {
    /// The Secret Service, which never shows a prompt here, and the items in memory beside it.
    var keyring: any Keyring { get }
    /// git's in-memory cache, which is used without a keyring.
    var memory: any Keyring { get }
    var inspection: any KeyringInspection { get }
    /// Whether the environment names a session bus that has ended, and another one is used.
    var isBusAddressStale: Bool { get }
    var canPrompt: Bool { get }
    /// The output of `git version`, or `nil` without git.
    var gitVersion: [UInt8]? { get }
    /// git's configuration in the current folder, including a repository's own; `nil` if it cannot be read.
    var gitConfiguration: [OriginatedEntry]? { get }
    /// Finds a program by its name on the PATH, or by its path.
    func program(_ name: String) -> String?
    /// `nil` if the program does not run.
    func programVersion(_ path: String) -> [UInt8]?
    /// `nil` if no place is safe.
    var lockDirectory: String? { get }
    /// Creates a transport with shorter timeouts.
    func transport(_ configuration: TransportConfiguration) -> any Transport
    var version: String { get }
    var isRoot: Bool { get }
    /// `nil` if the kernel has no Landlock.
    var landlock: Int? { get }
}

extension Dependencies {
    /// Locked items count too, without a prompt to unlock them.
    func hasItems(_ query: ItemQuery) -> Bool {
        (try? keyring.items(having: query.search)).map { !query.matching($0).isEmpty } ?? false
    }

    /// Whether a valid or refreshable token is stored.
    func isSignedIn(to host: HostName) throws(UserFacingError) -> Bool {
        let signIn = try rethrowing(
            as: UserFacingError.configurationUnreadable, try ContextResolver(with: self).signInContext(of: host))
        guard
            let context = signIn?.credentialContext
                ?? (try? CredentialContext(protocol: CredentialContext.https, host: host))
        else { return false }
        return try rethrowing(as: UserFacingError.keyring, try Lookup(with: self).all(context.query(user: nil)))
            .contains { $0.credential.condition(at: clock.now).isUsable }
    }

    func hostsWithItems(_ names: [HostName]) throws(ConfigurationError) -> [DisplayText] {
        let resolver = ContextResolver(with: self)
        var hosts: [DisplayText] = []
        for name in names {
            let context = try resolver.signInContext(of: name)
            // A token may be stored for a host without sign-ins.
            let stored = try? CredentialContext(protocol: CredentialContext.https, host: name).everything(user: nil)
            guard let query = context?.query(path: nil) ?? stored, hasItems(query) else { continue }
            let shown = context?.host.displayName ?? DisplayText(untrusted: name.text)
            if !hosts.contains(shown) { hosts.append(shown) }
        }
        return hosts
    }
}

extension Sequence where Element: Equatable {
    /// The elements in their order, each once.
    var unique: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension HostName {
    var shown: DisplayText { DisplayText(untrusted: text) }

    /// The address in git's configuration, without a path.
    var url: String { "https://" + String(decoding: text, as: UTF8.self) }
}

/// JSON for programs (RFC 8259), written by hand, since it is a few strings, numbers and booleans.
enum JSONText {
    /// RFC 8259, 7; the text has no control characters.
    static func string(_ text: DisplayText) -> String {
        "\"" + text.text.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    static func string(_ word: some RawRepresentable<String>) -> String { string(DisplayText(trusted: word.rawValue)) }

    /// Messages are in English, so that programs read the same everywhere.
    static func string(_ message: Message) -> String { string(DisplayText(trusted: message.english)) }
    static func list(_ messages: [Message]) -> String { "[" + messages.map(string).joined(separator: ", ") + "]" }

    /// One object in each line.
    static func array(_ objects: [String]) -> String {
        objects.isEmpty ? "[]\n" : "[\n" + objects.map { "  " + $0 }.joined(separator: ",\n") + "\n]\n"
    }

    /// `nil` stands for `null`.
    static func object(_ members: [(name: DisplayText, value: String?)]) -> String {
        "{" + members.map { "\(string($0.name)): \($0.value ?? "null")" }.joined(separator: ", ") + "}"
    }
}
