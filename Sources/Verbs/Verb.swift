package import ArgumentParser
package import CredentialCore
package import Helper
internal import Providers
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
    /// Creates the dependencies of the operations, with the settings for a host.
    ///
    /// Each call creates them again, since the verb may have changed git's configuration.
    package var dependencies: (HostName?) -> Dependencies
    package var questions: any Questions
    package var files: any ConfigurationFiles
    /// Other programs' items in the keyring, and files in which other tools store credentials.
    package var foreignKeyring: any ForeignKeyring
    package var foreignFiles: any ForeignFiles
    package var inspections: (HostName?) -> Inspections
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
        inspections: @escaping (HostName?) -> Inspections, unlockableKeyring: @escaping () -> any KeyringUnlocking,
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
}

extension VerbDependencies {
    var sharing: ShareDependencies { makeSharing(self) }

    /// Returns a request for a host as a person writes it, or for `defaultHost`, and the dependencies for that host.
    ///
    /// - Throws: an error for a host or account that breaks the rules for git's requests.
    func request(
        _ host: String?, _ username: String? = nil, withPath: Bool = false, for verb: DisplayText
    ) throws(UserFacingError) -> (Request, Dependencies) {
        let host = host ?? defaultHost
        let request: Request
        let name: HostName
        do throws(RequestError) {
            request = try HostArgument(host).request(username: username, withPath: withPath)
            guard let valid = HostName(request.host) else { throw .malformedHost }
            name = valid
        } catch .malformedHost where HostArgument.isPlainHTTP(host) {
            throw .plainHTTPArgument(DisplayText(untrusted: host.utf8), verb: verb)
        } catch .malformedHost {
            throw .malformedHostArgument(DisplayText(untrusted: host.utf8), verb: verb)
        } catch {
            throw .requestRefused(error)
        }
        let dependencies = dependencies(name)
        if let meant = dependencies.meant(by: name) {
            throw .mistypedHost(name.shown, meant: meant, command: "\(verb) \(word: meant)")
        }
        return (request, dependencies)
    }

    /// The host if the person names none: the repository's in the current folder, or else github.com.
    ///
    /// A repository's host counts only if the person knows it: no repository may lead a person to a new host.
    package var defaultHost: String {
        let dependencies = dependencies(nil)
        let resolver = ContextResolver(with: dependencies)
        guard let remote = remote(), let request = try? HostArgument(remote).request(username: nil),
            let context = try? resolver.credentialContext(of: request),
            let signIn = try? resolver.signInContext(of: context)
        else { return "github.com" }
        let isConfigured = (try? resolver.configuredHosts)?.contains { $0.host == signIn.host } ?? false
        guard isConfigured || dependencies.hasItems(signIn.credentialContext.everything(user: nil)) else {
            return "github.com"
        }
        return String(decoding: signIn.host.name.text, as: UTF8.self)
    }

    func say(_ lines: [Message]) { lines.forEach(say) }

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

extension Dependencies {
    /// Locked items count too, without a prompt to unlock them.
    func hasItems(_ query: ItemQuery) -> Bool {
        (try? keyring.items(having: query.search)).map { !query.matching($0).isEmpty } ?? false
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

// MARK: Mistyped hosts

extension Dependencies {
    /// The known host that a person most likely means by another one, such as `githb.com` or `gitlab`.
    ///
    /// The result is `nil` for a host that is known or configured, or for which something is stored.
    func meant(by host: HostName) -> DisplayText? {
        let word = String(decoding: host.text, as: UTF8.self)
        guard BuiltInHost(rawValue: word) == nil, let nearest = Self.nearest(to: word),
            let context = try? CredentialContext(protocol: CredentialContext.https, host: host)
        else { return nil }
        let settings = try? ContextResolver(with: self).storeSettings(of: host).settings
        guard settings?.provider == nil, settings?.isPlainStore != true, !hasItems(context.everything(user: nil)) else {
            return nil
        }
        return DisplayText(trusted: nearest)
    }

    private static func nearest(to word: String) -> String? {
        // `gitee.com` is another service, and a server of one's own is often called `gitea`.
        let hosts = BuiltInHost.allCases.filter { $0 != .gitea }.map(\.rawValue)
        guard !word.contains(".") else {
            // No further: a `gitlab.corp` exists.
            return hosts.first { EditDistance.between(Array(word.utf8), Array($0.utf8)) == 1 }
        }
        // The names with one dot are the services themselves.
        let services = hosts.map { $0.split(separator: ".") }.filter { $0.count == 2 }.map { String($0[0]) }
        return EditDistance.nearest(to: word, of: services).flatMap { name in hosts.first { $0.hasPrefix(name) } }
    }
}

extension UserFacingError {
    package static func malformedHostArgument(_ host: DisplayText, verb: DisplayText) -> UserFacingError {
        UserFacingError(
            .malformedArgument, Message("this is not a valid host: %1$s", host),
            [Message("for example:"), .command("git credential-gitspace \(verb) github.com")])
    }

    package static func plainHTTPArgument(_ host: DisplayText, verb: DisplayText) -> UserFacingError {
        UserFacingError(
            .malformedArgument, Message("gitspace only works over https: %1$s", host),
            [
                Message("use the https address, for example:"),
                .command("git credential-gitspace \(verb) https://github.com"),
            ])
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
