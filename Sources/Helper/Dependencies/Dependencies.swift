package import CredentialCore
package import Messages
package import Providers

/// What is expensive is a closure, which is called at most once per run, when it is first needed.
package struct Dependencies {
    /// Or its substitute, according to the settings for the host.
    package var keyring: any Keyring
    /// git's configuration, in its order: one call of `git config`.
    ///
    /// If it cannot be read, nothing is sent and nobody is asked.
    package var configuration: () throws(ConfigurationError) -> [ConfigurationEntry]
    package var environment: (String) -> String?
    package var transport: (TransportConfiguration) -> any Transport
    package var ui: any SignInUI
    /// Where a browser on this machine ends; it throws if nothing can be listened on.
    package var redirect: (RedirectAddress) throws(SignInError) -> any RedirectReceiver
    /// To a person.
    package var report: (UserFacingError) -> Void
    /// Across processes.
    package var locks: any Locks
    package var signInNotes: any SignInNotes
    /// Rejected by servers.
    package var refusedTokens: any RefusedTokens
    package var clock: any Clock
    package var signals: any SignalShield
    /// Nil if none was built in for the host.
    package var builtInClientID: (SignInHost) -> String?
    /// By a path, or the name of a systemd credential.
    package var signingKey: (String) throws(SigningKeyError) -> any AssertionSigner
    package var signatureVerifier: any SignatureVerifier
    /// Of a host's name that is not ASCII: the form in which it is looked up (RFC 5891); nil if that is unknown.
    package var asciiName: ([UInt8]) -> [UInt8]?
    /// git, or the target of a share, gets the token of a sign-in or a refresh; a person's command only has it saved.
    package var answersGit = true
    package var requester: () -> Requester
    /// git's scheduled jobs ask, and nobody waits for them.
    package var isMaintenance: () -> Bool
    package var askingRepository: () -> AskingRepository
    /// The text is made only if there is a trace.
    package var trace: (() -> String) -> Void

    /// Nothing is stored for a host, or nobody can tell because there is no keyring.
    package func notSignedIn(to host: DisplayText) -> UserFacingError {
        keyring.absence.map { .keyringAbsent($0, host: host) } ?? .notSignedIn(host: host)
    }

    package init(
        keyring: any Keyring,
        configuration: @escaping () throws(ConfigurationError) -> [ConfigurationEntry],
        environment: @escaping (String) -> String?,
        transport: @escaping (TransportConfiguration) -> any Transport, ui: any SignInUI,
        redirect: @escaping (RedirectAddress) throws(SignInError) -> any RedirectReceiver = {
            _ throws(SignInError) in throw .noRedirect
        },
        report: @escaping (UserFacingError) -> Void, locks: any Locks,
        signInNotes: any SignInNotes, refusedTokens: any RefusedTokens, clock: any Clock, signals: any SignalShield,
        builtInClientID: @escaping (SignInHost) -> String?, requester: @escaping () -> Requester,
        isMaintenance: @escaping () -> Bool = { false },
        askingRepository: @escaping () -> AskingRepository = { AskingRepository() },
        signingKey: @escaping (String) throws(SigningKeyError) -> any AssertionSigner,
        signatureVerifier: any SignatureVerifier, asciiName: @escaping ([UInt8]) -> [UInt8]? = { _ in nil },
        trace: @escaping (() -> String) -> Void = { _ in }
    ) {
        self.keyring = keyring
        self.configuration = configuration
        self.environment = environment
        self.transport = transport
        self.ui = ui
        self.redirect = redirect
        self.report = report
        self.locks = locks
        self.signInNotes = signInNotes
        self.refusedTokens = refusedTokens
        self.clock = clock
        self.signals = signals
        self.builtInClientID = builtInClientID
        self.requester = requester
        self.isMaintenance = isMaintenance
        self.askingRepository = askingRepository
        self.signingKey = signingKey
        self.signatureVerifier = signatureVerifier
        self.asciiName = asciiName
        self.trace = trace
    }
}

package protocol Clock {
    /// Seconds since 1970, for expiry times that a server or git will compare.
    var now: Int64 { get }
    /// Milliseconds since the machine started, including suspend (`CLOCK_BOOTTIME`), for waiting.
    var uptimeMilliseconds: Int64 { get }
}

package protocol SignalShield {
    /// Signals such as SIGINT, SIGTERM and SIGHUP take effect afterwards.
    func whileSignalsWait<Result>(_ body: () -> Result) -> Result
}

/// The address at which the browser ends (RFC 8252, 7.3).
package struct RedirectAddress: Equatable {
    package let host: RedirectHost
    /// Nil where the system chooses one.
    package let port: UInt16?
    /// It begins with a slash, or is empty where a person has registered it so.
    package let path: String

    package init(_ host: RedirectHost, path: String) {
        self.host = host
        port = nil
        self.path = path
    }

    /// Nil for what is no plain http address of this machine's loopback.
    package init?(configured text: String) {
        let scheme = "http://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        path = String(rest.dropFirst(authority.count))
        guard let host = RedirectHost.allCases.first(where: { authority.hasPrefix($0.name) }),
            ASCII.isPlain(path.utf8, with: "-._~/")
        else { return nil }
        self.host = host
        let port = authority.dropFirst(host.name.count)
        guard !port.isEmpty else {
            self.port = nil
            return
        }
        guard port.first == ":", let number = DecimalNumber.parse(port.dropFirst().utf8), (1...65_535).contains(number)
        else { return nil }
        self.port = UInt16(number)
    }

    /// As a person registers it.
    package var registered: String { uri(port: port) }

    package func uri(port: UInt16?) -> String {
        "http://\(host.name)\(port.map { ":\($0)" } ?? "")\(path)"
    }
}

extension SignInContext {
    /// The configured one, else one of the usual form; nil if the configured one is no address of this machine's.
    package func redirectAddress(_ host: RedirectHost) -> RedirectAddress? {
        settings.redirectURL.map { RedirectAddress(configured: $0) }
            ?? RedirectAddress(host, path: self.host.redirectPath)
    }
}

/// Listens for one answer of the browser, until it is released.
package protocol RedirectReceiver: AnyObject {
    var redirectURI: String { get }
    /// Whether it is certain that nobody else on this machine is heard; if not, nobody is.
    var hearsBrowser: Bool { get }
    /// They become readable when there may be something for `next`.
    var descriptors: [Int32] { get }

    /// An answer is one that `isExpected` knows by its state; nothing else is served then.
    func next(_ isExpected: (FormFields) -> Bool) -> RedirectEvent?

    /// What the person reads in the browser; only once it is certain.
    func show(_ result: RedirectResult)
}

package enum RedirectEvent {
    case answer(FormFields)
    /// Something has turned the address into one of https; at this origin, it is heard.
    case https(origin: DisplayText)
    /// Another user connected, or nobody on this machine.
    case stranger
}

package enum RedirectResult {
    case signedIn(account: DisplayText, host: DisplayText)
    /// The error is nil if the person knows it already.
    case failed(host: DisplayText, UserFacingError?)
}

/// Asks the person at the terminal.
package protocol Questions: AnyObject {
    /// Whether there is a terminal on which an answer could be typed.
    var canAsk: Bool { get }

    /// Asks for a line.
    ///
    /// - Returns: the line without blanks around it, perhaps empty; nil for Ctrl-C, Ctrl-D, or no terminal.
    func ask(_ question: Message) -> String?

    /// Whether standard input is a terminal: a secret is typed then, and may be mistyped.
    var isInputTyped: Bool { get }

    /// Asks for a line without showing it; nil as above.
    func ask(_ question: Message, for secret: AskedSecret) -> Secret?

    /// Opens a page in the browser.
    ///
    /// - Returns: whether it is opening.
    func open(_ page: HTTPSAddress) -> Bool
}

/// A secret that a person is asked for; if standard input is not a terminal, all of it is the answer.
package enum AskedSecret {
    /// Byte for byte but for the end of the line.
    case password
    /// The same, but at the terminal whatever standard input is.
    case terminalPassword
    /// Without blanks around it.
    case token
    /// The same, but at the terminal.
    case pastedToken

    package var isTyped: Bool { self == .terminalPassword || self == .pastedToken }
}
