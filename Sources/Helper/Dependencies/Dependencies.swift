package import CredentialCore
package import Providers

/// Everything outside that the operations use; expensive values are closures, called only when needed.
package struct Dependencies {
    /// The keyring or its substitute, by the settings for the host.
    package var keyring: any Keyring
    /// Returns git's configuration in its order, by one call of `git config`.
    package var configuration: () throws(ConfigurationError) -> [ConfigurationEntry]
    package var environment: (String) -> String?
    package var transport: (TransportConfiguration) -> any Transport
    package var ui: any SignInUI
    /// Opens the address at which a browser on this machine ends, or throws if no port can be opened.
    package var redirect: (RedirectAddress) throws(SignInError) -> any RedirectReceiver
    package var report: (UserFacingError) -> Void
    package var locks: any Locks
    package var signInNotes: any SignInNotes
    package var refusedTokens: any RefusedTokens
    package var clock: any Clock
    package var signals: any SignalShield
    /// `nil` if the host has none.
    package var builtInClientID: (SignInHost) -> String?
    /// Returns the key by its path, or by the name of a systemd credential.
    package var signingKey: (String) throws(SigningKeyError) -> any AssertionSigner
    package var signatureVerifier: any SignatureVerifier
    /// Returns the form in which a host's name is looked up (RFC 5891) if it is not ASCII, or `nil` if it is unknown.
    package var asciiName: ([UInt8]) -> [UInt8]?
    /// Whether git, or the target of a share, gets the token; a person's command only saves it.
    package var answersGit = true
    package var requester: () -> Requester
    /// Returns whether git's scheduled jobs ask, for which no person waits.
    package var isMaintenance: () -> Bool
    package var askingRepository: () -> AskingRepository
    package var isInContainer: () -> Bool
    /// Writes to the trace; the closure runs only if there is one.
    package var trace: (() -> String) -> Void

    /// Returns the error for a host without a stored credential, or without a keyring that could tell.
    package func notSignedIn(to host: DisplayText) -> UserFacingError {
        keyring.absence.map { .keyringAbsent($0, host: host) } ?? .notSignedIn(host: host)
    }

    package init(
        keyring: any Keyring, configuration: @escaping () throws(ConfigurationError) -> [ConfigurationEntry],
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
        isInContainer: @escaping () -> Bool = { false },
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
        self.isInContainer = isInContainer
        self.signingKey = signingKey
        self.signatureVerifier = signatureVerifier
        self.asciiName = asciiName
        self.trace = trace
    }
}

package protocol Clock {
    /// Seconds since 1970, for expiry times that a server or git will compare.
    var now: Int64 { get }
    /// Milliseconds since the machine started, including suspend (`CLOCK_BOOTTIME`), for waits.
    var uptimeMilliseconds: Int64 { get }
}

package struct AskingRepository {
    package enum Location: Equatable {
        case clone
        /// A submodule that was not cloned yet.
        case submodule
        /// `nil` for the person's current repository.
        case folder(String?)
    }

    package let location: Location
    package let remotes: [(name: String, address: String)]

    package init(_ location: Location = .folder(nil), remotes: [(name: String, address: String)] = []) {
        self.location = location
        self.remotes = remotes
    }
}

package protocol SignalShield {
    /// Runs the body; signals such as SIGINT, SIGTERM and SIGHUP take effect afterwards.
    func whileSignalsWait<Result>(_ body: () -> Result) -> Result
}

/// The address at which the browser ends (RFC 8252, 7.3).
package struct RedirectAddress: Equatable {
    package let host: RedirectHost
    /// `nil` if the system chooses the port.
    package let port: UInt16?
    /// A text that begins with a slash, or is empty if the client was registered without a path.
    package let path: String

    package init(_ host: RedirectHost, path: String) {
        self.host = host
        port = nil
        self.path = path
    }

    /// Returns `nil` unless the text is an http address of this machine's loopback.
    package init?(configured text: String) {
        let scheme = "http://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        path = String(rest.dropFirst(authority.count))
        guard let host = RedirectHost.allCases.first(where: { authority.hasPrefix($0.rawValue) }),
            ASCII.isPlain(path.utf8, with: "-._~/")
        else { return nil }
        self.host = host
        let suffix = authority.dropFirst(host.rawValue.count)
        let number = suffix.first == ":" ? DecimalNumber.parse(suffix.dropFirst().utf8) : nil
        port = number.flatMap { $0 == 0 ? nil : UInt16(exactly: $0) }
        guard suffix.isEmpty || port != nil else { return nil }
    }

    /// The address as a person registers it.
    package var registered: String { uri(port: port) }
    package func uri(port: UInt16?) -> String { "http://\(host.rawValue)\(port.map { ":\($0)" } ?? "")\(path)" }
}

extension SignInContext {
    /// Returns the configured address or one of the usual form, or `nil` if the configured one is not on this machine.
    package func redirectAddress(_ host: RedirectHost) -> RedirectAddress? {
        settings.redirectURL.map { RedirectAddress(configured: $0) }
            ?? RedirectAddress(host, path: self.host.redirectPath)
    }
}

/// A listener for one answer of the browser, until it is released.
package protocol RedirectReceiver: AnyObject {
    var redirectURI: String { get }
    /// Whether browsers are served: only if connections of other users can be recognized.
    var hearsBrowser: Bool { get }
    /// The descriptors that become readable when `next` may have an event.
    var descriptors: [Int32] { get }

    /// Returns the next event.
    ///
    /// If `isExpected` accepts the fields of a request, they are the answer, and no other request is served.
    func next(_ isExpected: (FormFields) -> Bool) -> RedirectEvent?
    func show(_ result: RedirectResult)
}

package enum RedirectEvent {
    case answer(FormFields)
    /// A browser used https, which is not served; at this origin, the browser is served.
    case https(origin: DisplayText)
    /// Another user connected, or a client of unknown user.
    case stranger
}

package enum RedirectResult {
    case signedIn(account: DisplayText, host: DisplayText)
    /// The sign-in failed; the error is `nil` if the person knows it already.
    case failed(host: DisplayText, UserFacingError?)
}

/// Questions to the person at the terminal.
package protocol Questions: AnyObject {
    /// Whether there is a terminal for an answer.
    var canAsk: Bool { get }
    /// - Returns: the line without blanks around it, which may be empty, or `nil` for Ctrl-C, Ctrl-D or no terminal.
    func ask(_ question: Message) -> String?
    /// Whether standard input is a terminal, where a secret is typed and may be mistyped.
    var isInputTyped: Bool { get }
    /// Asks for a line without showing it; `nil` as for `ask(_:)`.
    func ask(_ question: Message, for secret: AskedSecret) -> Secret?
    /// - Returns: whether the page is opening.
    func open(_ page: HTTPSAddress) -> Bool
    /// Shows a page as a QR code, if the terminal has room for it.
    func showQRCode(of page: HTTPSAddress)
}

/// A kind of secret to ask for; if standard input is not a terminal, all of standard input is the answer.
package enum AskedSecret {
    /// A password, unchanged except for the end of the line.
    case password
    /// A password that is read from the terminal even if standard input is not one.
    case terminalPassword
    /// A token without blanks around it.
    case token
    /// A token that is read from the terminal even if standard input is not one.
    case pastedToken

    package var isTyped: Bool { self == .terminalPassword || self == .pastedToken }
}
