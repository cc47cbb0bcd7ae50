internal import ArgumentParser
internal import CredentialCore
internal import Helper
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

    private var choosesClient: Bool { clientID != nil || isGitHubApp }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (request, dependencies) = try outside.request(typed, isStored: false, for: "setup")
        let run = SetupRun(request, self, outside, dependencies)
        return try untilStopped(run) { () throws(OperationFailure) in
            if let target = try target(run), withToken || !target.takesClient {
                // Such a host has no sign-in, and `doctor` could check nothing.
                let lines = try lines(for: target.context.host, run)
                try SetupSignIn(run, clientID: nil).run(withoutSignIn: target)
                try configure(lines, run)
                sayEarlier(target.context.host, run)
                sayReady(target.host, outside)
                return .done
            }
            let context = try run.signInContext()
            let lines = try lines(for: context.host.name, run)
            if choosesClient { run.clientID = try ClientRegistration(context, run).run() }
            try SetupSignIn(run, clientID: run.clientID).run()
            try configure(lines, run)
            return try finish(context, run)
        }
    }

    /// Returns the target for a pasted token, or `nil` for a host with sign-ins, perhaps since the person has just set
    /// it.
    private func target(_ run: SetupRun) throws(OperationFailure) -> TokenTarget? {
        guard !choosesClient else { return nil }
        do throws(UserFacingError) {
            return try TokenTarget(
                withoutSignIn: run.request, typed: typed.host, run.outside, with: run.dependencies,
                recognized: run.use)
        } catch {
            throw error.isInterruption ? .known : .failed(error)
        }
    }

    private func untilStopped(
        _ run: SetupRun, _ steps: () throws(OperationFailure) -> ExitStatus
    ) throws(UserFacingError) -> ExitStatus {
        do throws(OperationFailure) {
            return try steps()
        } catch {
            // An error after Ctrl-C is not reported, except for a token that is lost.
            if let error = error.error, !run.outside.isInterrupted() || error.code == .notSaved { throw error }
            run.outside.say(Message("Stopped. To continue where you left off:"))
            // Another run needs only the client ID of the options, because that is registered once.
            let client: DisplayText =
                run.clientID.map { " --client-id \(word: $0)" } ?? (isGitHubApp ? " --github-app" : "")
            let name: DisplayText = run.name.map { " \(word: $0)" } ?? ""
            run.outside.say(.command("git credential-gitspace setup \(word: run.host)\(name)\(client)"))
            return .cancelled
        }
    }

    /// Returns the lines by which git asks this program, or reports before a sign-in why they cannot be read.
    private func lines(for host: HostName, _ run: SetupRun) throws(OperationFailure) -> HelperLines {
        let lines = HelperLines(
            scope: .global, host: host, keepsForm: true, files: run.outside.files, dependencies: run.dependencies)
        _ = try rethrowing(as: Self.notConfigured, try lines.preview())
        return lines
    }

    private static func notConfigured(_ error: ConfigurationFileError) -> OperationFailure {
        .failed(.configuration(error, verb: "configure"))
    }

    /// Makes git ask this program as the last step, because another helper must stay in place if nobody signs in.
    private func configure(_ lines: HelperLines, _ run: SetupRun) throws(OperationFailure) {
        let change = try rethrowing(as: Self.notConfigured, try lines.write())
        if change.isEmpty {
            run.outside.say(Message("git already uses gitspace for %1$s.", change.hostNames))
        } else {
            run.outside.say(Message("git now uses gitspace for %1$s (%2$s).", change.hostNames, change.file))
            run.configurationHasChanged()
        }
        if !change.switchedOff.isEmpty {
            run.outside.say([Message("For these hosts, git no longer uses:")] + change.switchedOff)
        }
    }

    /// Reports what is wrong, and not what is right.
    private func finish(_ context: SignInContext, _ run: SetupRun) throws(OperationFailure) -> ExitStatus {
        var isReady = true
        var isInMemory = (try? ContextResolver(with: run.dependencies).generalSettings)?.store == .cache
        let host = context.host.name
        guard run.isSignInHost else {
            sayEarlier(host, run)
            sayReady(context.host.displayName, run.outside)
            return .done
        }
        let status = Doctor.examine(
            host, triesClient: false, with: run.dependencies, run.outside.inspections(host), run.outside.foreignFiles
        ) { diagnosis in
            if diagnosis.code == .noKeyring {
                // An app can always get the next token.
                guard !context.needsNoPerson else { return }
                if diagnosis.result == .warn { isInMemory = true }
            }
            // An app's sign-in never asks a person.
            guard !context.needsNoPerson || ![.interaction, .collection].contains(diagnosis.check) else { return }
            guard diagnosis.isWorthMending else { return }
            if diagnosis.result == .fail || diagnosis.code == .otherAccount { isReady = false }
            run.outside.say(diagnosis.lines)
        }
        guard status != .cancelled else { throw .known }
        guard isReady else { return .failed }
        if isInMemory, !context.needsNoPerson {
            run.outside.say(
                Message(
                    "Memory keeps the token for %1$s after it was last saved. Then git asks you to sign in again.",
                    Message.duration(CredentialStorage.secondsInMemory)))
        }
        sayReady(context.host.displayName, run.outside)
        return .done
    }

    /// Warns of a credential that git uses instead of the sign-in, for hosts that `doctor` does not check.
    private func sayEarlier(_ host: HostName, _ run: SetupRun) {
        let earlier = EarlierCredentials(
            lines: (try? run.outside.files.entries()) ?? [], files: run.outside.foreignFiles,
            environment: run.dependencies.environment)
        for found in earlier.all(for: host) { run.outside.say(found.diagnosis.lines) }
    }

    private func sayReady(_ host: DisplayText, _ outside: VerbDependencies) {
        outside.say([Message("Ready. Try:"), .command("git clone https://\(host)/OWNER/REPO")])
    }
}

/// The state that the steps of one run share.
final class SetupRun {
    let request: Request
    let options: Setup
    let outside: VerbDependencies
    private(set) var dependencies: Dependencies
    var clientID: String?

    init(_ request: Request, _ options: Setup, _ outside: VerbDependencies, _ dependencies: Dependencies) {
        self.request = request
        self.options = options
        self.outside = outside
        self.dependencies = dependencies
        clientID = options.clientID
    }

    var host: DisplayText {
        let name = HostName(request.host)?.canonicalForHTTPS
        return name.map { SignInHost(builtIn: $0)?.displayName ?? DisplayText(untrusted: $0.text) }
            ?? DisplayText(untrusted: request.host)
    }

    /// The account that was named.
    var name: DisplayText? { request.username.map { DisplayText(account: $0) } }

    /// Makes the dependencies read git's configuration again.
    func configurationHasChanged() { dependencies = outside.dependencies(HostName(request.host)) }

    /// Writes a setting of a host to git's configuration, for every repository.
    func keep(_ key: SettingKey, _ value: String, for host: HostName) throws(ConfigurationFileError) {
        try outside.files.set(key.name(on: DisplayText(untrusted: host.text)).text, to: value, in: .global)
        let entries = try outside.files.entries().filter { ["system", "global"].contains($0.scope) }.map(\.entry)
        guard Configuration(entries, for: host)[key] == value else {
            throw .notTakenUp(try outside.files.path(of: .global))
        }
        configurationHasChanged()
    }

    /// Asks whether a server is of the recognized kind, and writes that to git's configuration.
    func use(_ recognized: RecognizedHost, as host: HostName) throws(UserFacingError) {
        let unset = UserFacingError.hostRecognized(recognized, host: DisplayText(untrusted: host.text))
        guard recognized.takesSignIn, mayAsk, !options.withToken || outside.questions.isInputTyped
        else { throw unset }
        let question = Message(
            "%1$s looks like a %2$s server. Use it as a %2$s server? [Y/n] ", DisplayText(untrusted: host.text),
            recognized.name)
        guard let isYes = outside.isYes(question) else { throw .interrupted }
        guard isYes else { throw unset }
        do throws(ConfigurationFileError) {
            try keep(.provider, recognized.provider.rawValue, for: host)
        } catch {
            let hints =
                [Message("set its provider, then run the command again:")]
                + error.remedy(
                    DisplayText(untrusted: host.text), .provider, DisplayText(trusted: recognized.provider.rawValue))
            throw UserFacingError(.configuration, error.words("setup").text, hints)
        }
        outside.say(Message("Saved in git's configuration."))
    }

    func signInContext() throws(OperationFailure) -> SignInContext {
        try rethrowing(
            as: OperationFailure.failed,
            try ContextResolver(with: dependencies).signInContext(of: request, withoutClient: true))
    }

    /// Whether the host has more than pasted tokens: without a client ID, some hosts have no sign-in.
    var isSignInHost: Bool {
        let resolver = ContextResolver(with: dependencies)
        return (try? resolver.credentialContext(of: request)).map(resolver.signsIn) ?? true
    }

    /// Whether a question is possible and allowed, by the person too.
    var mayAsk: Bool { !options.yes && canAsk }

    /// Whether somebody can be asked, and nothing forbids it.
    var canAsk: Bool { outside.mayAsk(dependencies, evenIfPiped: true) }
}

extension Diagnosis {
    /// Whether the person should act now; a missing client ID does not matter after a sign-in without one.
    fileprivate var isWorthMending: Bool { (result == .fail || result == .warn) && code != .noClientID }
}
