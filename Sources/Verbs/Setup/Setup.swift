internal import ArgumentParser
package import CredentialCore
package import Helper
internal import Providers

/// The verb `setup`: signs in from nothing by the shortest possible way.
///
/// Each step first checks whether it is done already, so a second run continues where the first one stopped.
struct Setup: Verb {
    static let configuration = CommandConfiguration(
        "setup",
        Message("Set up git and sign in: the one command after installation."),
        Message("Signs in, then sets up git."),
        Message(
            "Uses your sign-in from gh, Git Credential Manager or git-credential-store if there is one, otherwise the browser or a token that you paste."
        ),
        Message("Completed steps are skipped, so you can stop and run it again."),
        examples: ["setup", "setup gitlab.com", "setup --github-app"])

    @OptionGroup var typed: AccountArguments

    @Flag(help: ArgumentHelp(Message("Ask no questions. Sign in only if a terminal or desktop is available.")))
    var yes = false

    @Flag(
        help: ArgumentHelp(
            Message("Sign in with a personal access token, entered at a prompt or read from standard input.")))
    var withToken = false

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp(Message("Sign in with this client ID of your own app, and save it."), valueName: "ID"))
    var clientID: String?

    @Flag(
        name: .customLong("github-app"),
        help: ArgumentHelp(Message("Register a GitHub App of your own, and sign in with it.")))
    var isGitHubApp = false

    func validate() throws {
        guard !withToken || !choosesClient else {
            throw ValidationError(
                Message("'--with-token' cannot be used together with '--client-id' or '--github-app'."))
        }
    }

    var choosesClient: Bool { clientID != nil || isGitHubApp }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (request, dependencies) = try outside.request(typed, isStored: false, for: "setup")
        let steps = SetupSteps(request, self, outside, dependencies)
        do throws(OperationFailure) {
            let target = try steps.target()
            let lines = try steps.lines(for: target)
            try steps.signIn(at: target)
            try steps.write(lines)
            return try steps.examine(target)
        } catch {
            // An error after Ctrl-C is not reported, except for a token that is lost.
            if let error = error.error, !outside.isInterrupted() || error.code == .notSaved { throw error }
            outside.say([Message("Stopped. To continue where you left off:"), steps.continuation])
            return .cancelled
        }
    }
}

/// The steps of one run, in the order in which they are taken.
final class SetupSteps {
    let options: Setup
    let outside: VerbDependencies
    private(set) var dependencies: Dependencies
    let request: Request
    /// The client that the person has chosen, who then does not want another tool's account.
    var clientID: String?
    var said: [Message] = []
    /// The stored token that is replaced although it has not expired.
    var refused: Secret?

    init(_ request: Request, _ options: Setup, _ outside: VerbDependencies, _ dependencies: Dependencies) {
        self.request = request
        self.options = options
        self.outside = outside
        self.dependencies = dependencies
        clientID = options.clientID
    }

    var name: DisplayText? { request.username.map { DisplayText(account: $0) } }

    /// The command to continue a stopped run; it names the client, which is registered only once.
    fileprivate var continuation: Message {
        let known = HostName(request.host)?.canonicalForHTTPS
        let host =
            known.map { SignInHost(builtIn: $0)?.displayName ?? $0.shown }
            ?? DisplayText(untrusted: request.host)
        let client: DisplayText =
            clientID.map { " --client-id \(word: $0)" } ?? (options.isGitHubApp ? " --github-app" : "")
        let name: DisplayText = name.map { " \(word: $0)" } ?? ""
        return .command("git credential-gitspace setup \(word: host)\(name)\(client)")
    }

    /// Whether a question is possible, and allowed by the person too.
    var mayAsk: Bool { !options.yes && outside.mayAsk(dependencies, evenIfPiped: true) }

    func signInContext() throws(OperationFailure) -> SignInContext {
        try rethrowing(
            as: OperationFailure.failed,
            try ContextResolver(with: dependencies).signInContext(of: request, withoutClient: true))
    }

    // MARK: The target

    /// The target by git's configuration, to which the person may just have added the kind of host.
    fileprivate func target() throws(OperationFailure) -> TokenTarget {
        if !options.choosesClient {
            do throws(UserFacingError) {
                let target = try TokenTarget(
                    withoutSignIn: request, typed: options.typed.host, outside, with: dependencies, recognized: use)
                if let target, options.withToken || !target.takesClient { return target }
            } catch {
                throw error.isInterruption ? .known : .failed(error)
            }
        }
        return TokenTarget(try signInContext(), with: dependencies)
    }

    /// Asks whether a server is of the recognized kind, and writes that to git's configuration.
    private func use(_ recognized: RecognizedHost, as host: HostName) throws(UserFacingError) {
        let unset = UserFacingError.hostRecognized(recognized, host: host.shown)
        guard recognized.takesSignIn, mayAsk, !options.withToken || outside.questions.isInputTyped else { throw unset }
        let question = Message(
            "%1$s looks like a %2$s server. Use it as a %2$s server? [Y/n] ", host.shown, recognized.name)
        guard let isYes = outside.isYes(question) else { throw .interrupted }
        guard isYes else { throw unset }
        do throws(ConfigurationFileError) {
            try keep(.provider, recognized.provider.rawValue, for: host)
        } catch {
            let remedy = error.remedy(host.shown, .provider, DisplayText(trusted: recognized.provider.rawValue))
            throw UserFacingError(
                .configuration, UserFacingError.configuration(error, verb: "setup").text,
                [Message("set its provider, then run the command again:")] + remedy)
        }
        outside.say(Message("Saved in git's configuration."))
    }

    /// Writes a setting of a host to git's configuration, for every repository.
    func keep(_ key: SettingKey, _ value: String, for host: HostName) throws(ConfigurationFileError) {
        try outside.files.set(key.name(on: host.shown).text, to: value, in: .global)
        let entries = try outside.files.entries().filter { ["system", "global"].contains($0.scope) }.map(\.entry)
        guard Configuration(entries, for: host)[key] == value else {
            throw .notTakenUp(try outside.files.path(of: .global))
        }
        dependencies = outside.dependencies(HostName(request.host))
    }

    // MARK: The lines

    /// Returns the lines by which git asks this program; an error must be reported before a sign-in.
    fileprivate func lines(for target: TokenTarget) throws(OperationFailure) -> HelperLines {
        let lines = HelperLines(
            scope: .global, host: target.context.host, keepsForm: true, files: outside.files,
            dependencies: dependencies)
        _ = try rethrowing(as: Self.notConfigured, try lines.preview())
        return lines
    }

    /// The last step, because another helper must stay in place if nobody signs in.
    fileprivate func write(_ lines: HelperLines) throws(OperationFailure) {
        let change = try rethrowing(as: Self.notConfigured, try lines.write())
        if change.isEmpty {
            outside.say(Message("git already uses gitspace for %1$s.", change.hostNames))
        } else {
            outside.say(Message("git now uses gitspace for %1$s (%2$s).", change.hostNames, change.file))
            dependencies = outside.dependencies(HostName(request.host))
        }
        outside.say(Message("For these hosts, git no longer uses:"), above: change.switchedOff)
    }

    private static func notConfigured(_ error: ConfigurationFileError) -> OperationFailure {
        .failed(.configuration(error, verb: "configure"))
    }

    // MARK: What is wrong, and the next step

    /// Reports only faults.
    fileprivate func examine(_ target: TokenTarget) throws(OperationFailure) -> ExitStatus {
        // Without a client ID, some hosts have only pasted tokens.
        let resolver = ContextResolver(with: dependencies)
        let isSignInHost = (try? resolver.credentialContext(of: request)).map(resolver.signsIn) ?? true
        if let context = target.signIn, isSignInHost {
            guard try isReady(context) else { return .failed }
        } else {
            // A host without a sign-in has nothing that `doctor` could check.
            let others = OtherCredentials(
                lines: (try? outside.files.entries()) ?? [], outside: outside, dependencies: dependencies)
            for found in others.all(for: target.context.host) { outside.say(found.lines) }
        }
        outside.say([Message("Ready. Try:"), .command("git clone https://\(target.host)/OWNER/REPO")])
        return .done
    }

    private func isReady(_ context: SignInContext) throws(OperationFailure) -> Bool {
        var isReady = true
        var isInMemory = (try? ContextResolver(with: dependencies).generalSettings)?.store == .cache
        let status = Doctor.examine(context.host.name, afterSetup: true, with: dependencies, outside) { diagnosis in
            // An app can always get the next token, and its sign-in never asks a person.
            let isForPerson = diagnosis.code == .noKeyring || [.interaction, .collection].contains(diagnosis.check)
            guard !context.needsNoPerson || !isForPerson else { return }
            if diagnosis.code == .noKeyring, diagnosis.result == .warn { isInMemory = true }
            // A missing client ID does not matter after a sign-in without one.
            guard diagnosis.result == .fail || diagnosis.result == .warn, diagnosis.code != .noClientID else { return }
            if diagnosis.result == .fail || diagnosis.code == .otherAccount { isReady = false }
            outside.say(diagnosis.lines)
        }
        guard status != .cancelled else { throw .known }
        if isReady, isInMemory, !context.needsNoPerson {
            outside.say(
                Message(
                    "Memory keeps the token for %1$s after it was last saved. Then git asks you to sign in again.",
                    Message.duration(CredentialStorage.secondsInMemory)))
        }
        return isReady
    }
}

extension UserFacingError {
    package static func setupNeedsPerson(
        host: DisplayText, as account: DisplayText? = nil, because setting: DisplayText?
    ) -> UserFacingError {
        let setup: DisplayText = account.map { "setup \(word: host) \(word: $0)" } ?? "setup \(word: host)"
        let nobodyHere = nobodyHere(host: host, as: account, because: setting)
        guard setting != "CI" else { return nobodyHere }
        return nobodyHere.with(
            setting.map { [Message("continue in a terminal, without %1$s:", $0), without($0, setup)] }
                ?? [Message("continue in a terminal:"), .command("git credential-gitspace \(setup)")])
    }
}
