internal import ArgumentParser
package import CredentialCore
package import Helper
internal import Providers

/// A host and an account, in the form that all verbs take.
struct AccountArguments: ParsableArguments {
    @Argument(help: ArgumentHelp(Message("The host. Default: the host of this repository, or github.com.")))
    var host: String?

    @Argument(help: ArgumentHelp(Message("The account.")))
    var name: String?

    @Option(help: .hidden)
    var username: String?

    init() {}

    init(_ host: String?, _ name: String?, _ username: String?) {
        self.host = host
        self.name = name
        self.username = username
    }

    func validate() throws {
        guard name == nil || username == nil else {
            throw ValidationError(Message("'--username' cannot be used together with a name after the host."))
        }
    }

    var account: String? { name ?? username ?? host.flatMap { TypedAddress($0).username } }
}

extension VerbDependencies {
    /// Returns a request for the typed arguments, and the dependencies for its host.
    ///
    /// One word without the signs of an address is an account if the default host has an account of that name. For
    /// verbs about stored accounts (`isStored`), it is also an account if it may be one and is no known host.
    ///
    /// - Throws: an error for a host or account that breaks the rules for git's requests.
    func request(
        _ typed: AccountArguments, isStored: Bool, withPath: Bool = false, for verb: DisplayText
    ) throws(UserFacingError) -> (Request, Dependencies) {
        var (host, account) = (typed.host, typed.name ?? typed.username)
        if account == nil, let word = host, let name = try self.account(word, isStored, verb) {
            (host, account) = (nil, name)
        }
        let (request, dependencies) = try request(host, account, withPath: withPath, for: verb)
        // A stored name of this form can still be removed.
        guard isStored || request.username.map(TokenShape.fits) != true else {
            throw .tokenAsName(host: DisplayText(untrusted: request.host))
        }
        return (request, dependencies)
    }

    /// Returns a request for a host as a person writes it, or for `defaultHost`, and the dependencies for that host.
    func request(
        _ host: String?, _ username: String? = nil, withPath: Bool = false, for verb: DisplayText
    ) throws(UserFacingError) -> (Request, Dependencies) {
        let host = host ?? defaultHost
        let request: Request
        let name: HostName
        do throws(RequestError) {
            request = try Request(typed: host, username: username, withPath: withPath)
            guard let valid = HostName(request.host) else { throw .malformedHost }
            name = valid
        } catch .malformedHost where TypedAddress(host).scheme == "http" {
            throw .plainHTTPArgument(DisplayText(untrusted: host.utf8), verb: verb)
        } catch .malformedHost {
            throw .malformedHostArgument(DisplayText(untrusted: host.utf8), verb: verb)
        } catch {
            throw .requestRefused(error)
        }
        let dependencies = dependencies(name)
        if let meant = dependencies.meant(by: name) {
            let named = ["doctor", "configure"].contains(verb) ? nil : request.username
            let account = named.flatMap { TokenShape.fits($0) ? nil : DisplayText(account: $0) }
            let command: DisplayText = "\(verb) \(word: meant)"
            throw .mistypedHost(name.shown, meant: meant, command: account.map { "\(command) \(word: $0)" } ?? command)
        }
        return (request, dependencies)
    }

    /// The host if the person names none: the repository's in the current folder, or else github.com.
    ///
    /// A repository's host counts only if the person knows it: no repository may lead a person to a new host.
    package var defaultHost: String {
        let dependencies = dependencies(nil)
        let resolver = ContextResolver(with: dependencies)
        guard let remote = remote(), let request = try? Request(typed: remote),
            let context = try? resolver.credentialContext(of: request),
            let signIn = try? resolver.signInContext(of: context)
        else { return "github.com" }
        let isConfigured = (try? resolver.configuredHosts)?.contains { $0.host == signIn.host } ?? false
        guard isConfigured || dependencies.hasItems(signIn.credentialContext.everything(user: nil)) else {
            return "github.com"
        }
        return String(decoding: signIn.host.name.text, as: UTF8.self)
    }

    /// Returns the default host's account, in its stored spelling, or `nil` if the word is a host.
    private func account(_ word: String, _ isStored: Bool, _ verb: DisplayText) throws(UserFacingError) -> String? {
        guard !word.contains(where: { "./:@".contains($0) }) else { return nil }
        let (request, dependencies) = try self.request(nil, for: verb)
        guard let context = try? ContextResolver(with: dependencies).signInContext(of: request) else { return nil }
        let query = context.credentialContext.everything(user: nil)
        var names: [[UInt8]] = []
        do {
            names = query.matching(try dependencies.keyring.items(having: query.search)).compactMap(\.shownUser)
        } catch {
            // Other errors are reported by the code that needs the keyring.
            if error == .interrupted { throw .keyring(error) }
        }
        if let name = names.first(where: { ASCII.equalsIgnoringCase($0, word) }) {
            return String(decoding: name, as: UTF8.self)
        }
        // A host with sign-ins or a stored credential, or a known host, even misspelt, is no account.
        guard isStored, context.host.provider.facts.isAccountName(Array(word.utf8)),
            let (other, ofOther) = try? self.request(word, for: verb), (try? ofOther.contexts(of: other)) == nil,
            HostName(other.host).flatMap(SignInHost.init(tokenHost:)) == nil
        else { return nil }
        return word
    }
}

extension Dependencies {
    /// Returns the contexts of a host with sign-ins, or of one for which a person has brought a token, or of any.
    func contexts(
        of request: Request, orAny: Bool = false
    ) throws(UserFacingError) -> (CredentialContext, SignInContext?) {
        let resolver = ContextResolver(with: self)
        let typed = try resolver.typedContext(of: request)
        let signIn = try rethrowing(as: UserFacingError.configurationUnreadable, try resolver.signInContext(of: typed))
        let context = signIn?.credentialContext ?? typed
        guard orAny || signIn != nil || hasItems(context.everything(user: nil)) else {
            throw resolver.withoutSignIn(typed)
        }
        return (context, signIn)
    }

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
        let names = hosts.map { $0.split(separator: ".") }
        let services = names.filter { $0.count == 2 }.map { String($0[0]) }
        return EditDistance.nearest(to: word, of: services).flatMap { name in hosts.first { $0.hasPrefix(name) } }
    }
}

extension CredentialContext {
    /// The account that a person means, in its own spelling, or by its number from 1.
    func name(_ text: String, among names: [[UInt8]], orNumber: Bool = false) -> [UInt8]? {
        if let name = names.first(where: { $0.elementsEqual(text.utf8) }) { return name }
        let alike = names.filter { ASCII.equalsIgnoringCase($0, text) }
        if let name = alike.first, alike.count == 1 { return name }
        guard orNumber, let number = Int(text), names.indices.contains(number - 1) else { return nil }
        return names[number - 1]
    }

    func usernames(of found: [StoredMatch]) -> [[UInt8]] {
        found.reduce(into: []) { names, match in
            let name = match.credential.username
            if !names.contains(where: { isSameAccount($0, name) }) { names.append(name) }
        }
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
            Message("use the https address, for example:"),
            .command("git credential-gitspace \(verb) https://github.com"))
    }
}
