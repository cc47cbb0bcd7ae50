package import CredentialCore
package import Helper
package import Messages
internal import Providers

/// The verb `setup`: from nothing to signed in, by the shortest way that there is.
///
/// Each step first checks whether it is done already, so that a second run continues where the first one stopped.
package struct Setup: Command {
    private let request: Request
    private let options: Options
    private let outside: Outside

    /// How it is done.
    package struct Options {
        /// Whether to ask no questions: `--yes`.
        package var isUnattended: Bool
        /// Whether the person has a token: `--with-token`.
        package var withToken: Bool

        package init(isUnattended: Bool = false, withToken: Bool = false) {
            self.isUnattended = isUnattended
            self.withToken = withToken
        }
    }

    /// Everything outside that one of the steps needs.
    package struct Outside {
        let questions: any Questions
        let files: any ConfigurationFiles
        let foreignKeyring: any ForeignKeyring
        let foreignFiles: any ForeignFiles
        let inspections: () -> Inspections
        let dependencies: () -> Dependencies
        let isInterrupted: () -> Bool

        /// Everything outside.
        ///
        /// - Parameters:
        ///   - questions: the person.
        ///   - files: git's configuration.
        ///   - foreignKeyring: other programs' items in the keyring.
        ///   - foreignFiles: files of other tools.
        ///   - inspections: what `doctor` looks at.
        ///   - dependencies: everything else, made for each step: an earlier step may have changed git's configuration.
        ///   - isInterrupted: whether Ctrl-C was pressed.
        package init(
            questions: any Questions, files: any ConfigurationFiles, foreignKeyring: any ForeignKeyring,
            foreignFiles: any ForeignFiles, inspections: @escaping () -> Inspections,
            dependencies: @escaping () -> Dependencies, isInterrupted: @escaping () -> Bool
        ) {
            self.questions = questions
            self.files = files
            self.foreignKeyring = foreignKeyring
            self.foreignFiles = foreignFiles
            self.inspections = inspections
            self.dependencies = dependencies
            self.isInterrupted = isInterrupted
        }
    }

    /// A set-up.
    ///
    /// - Parameters:
    ///   - request: the host.
    ///   - options: how it is done.
    ///   - outside: everything outside.
    package init(_ request: Request, _ options: Options = Options(), with outside: Outside) {
        self.request = request
        self.options = options
        self.outside = outside
    }

    /// What it reports, step by step.
    package enum Report {
        /// git asks this program.
        case configured(HelperLines.Change)
        /// How the sign-in goes.
        case signIn(SetupSignIn.Report)
        /// Something that is wrong.
        case diagnosis(Diagnosis)
        /// All is done, and git can be used.
        case ready(host: DisplayText)
        /// Ctrl-C; what was done stays.
        case stopped(host: DisplayText)
    }

    /// Why it goes no further.
    enum Failure: Error {
        case cancelled
        case failed(UserFacingError)
    }

    /// Takes all steps.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        if let tokenHost = try TokenHostContext(request, with: outside.dependencies()) {
            return try run(tokenHost, tell)
        }
        let context = try ContextResolver(with: outside.dependencies()).signInContext(of: request)
        return try untilStopped(context.host.displayName, tell) { () throws(Failure) in
            try configure(context.host.name, tell)
            try SetupSignIn(request, options, with: outside).run { tell(.signIn($0)) }
            return try finish(context, tell)
        }
    }

    /// Such a host has no sign-in, and nothing that `doctor` could ask.
    private func run(
        _ context: TokenHostContext, _ tell: (Report) -> Void
    ) throws(UserFacingError) -> ExitStatus {
        try untilStopped(context.displayName, tell) { () throws(Failure) in
            try configure(context.context.host, tell)
            try SetupTokenHost(context, options, with: outside).run { tell(.signIn($0)) }
            tell(.ready(host: context.displayName))
            return .done
        }
    }

    private func untilStopped(
        _ host: DisplayText, _ tell: (Report) -> Void, _ steps: () throws(Failure) -> ExitStatus
    ) throws(UserFacingError) -> ExitStatus {
        do throws(Failure) {
            return try steps()
        } catch .failed(let error) where !outside.isInterrupted() {
            throw error
        } catch {
            tell(.stopped(host: host))
            return .cancelled
        }
    }

    private func configure(_ host: HostName, _ tell: (Report) -> Void) throws(Failure) {
        let lines = HelperLines(
            scope: .global, host: host, keepsForm: true, files: outside.files, dependencies: outside.dependencies())
        do {
            tell(.configured(try lines.write()))
        } catch {
            throw .failed(.configuration(error, verb: "configure"))
        }
    }

    /// Reports what is wrong, and not what is right.
    private func finish(_ context: SignInContext, _ tell: (Report) -> Void) throws(Failure) -> ExitStatus {
        var hasFailed = false
        let doctor = Doctor(of: context.host.name, with: outside.dependencies(), with: outside.inspections())
        let status = doctor.run { diagnosis in
            guard diagnosis.isWorthMending, !(context.needsNoPerson && diagnosis.isAbsentKeyring) else { return }
            if diagnosis.isAbsentKeyring, mayUseMemory {
                return tell(.diagnosis(Diagnosis(diagnosis.check, .warn, diagnosis.finding)))
            }
            if diagnosis.result == .fail { hasFailed = true }
            tell(.diagnosis(diagnosis))
        }
        guard status != .cancelled else { throw .cancelled }
        tell(.ready(host: context.host.displayName))
        return hasFailed ? .failed : .done
    }

    /// Whether a token is in memory where there is no keyring; then a keyring would be better, but git works.
    private var mayUseMemory: Bool {
        let settings = try? ContextResolver(with: outside.dependencies()).generalSettings
        return settings.map { $0.store != .secretservice } ?? false
    }
}

extension Diagnosis {
    /// Whether the person needs to act now: not for an older git that works, nor for a missing client ID where somebody
    /// has signed in without one.
    fileprivate var isWorthMending: Bool {
        switch finding {
        case .git(.lacking), .host(_, .noClient): false
        default: result == .fail || result == .warn
        }
    }

    /// Whether there is no keyring: the token is in memory then, and an app can always get the next one.
    fileprivate var isAbsentKeyring: Bool {
        guard case .keyring(.failed(let error, _)) = finding else { return false }
        return error.isAbsence
    }
}
