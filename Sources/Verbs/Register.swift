package import CredentialCore
package import Helper
package import Messages
package import Providers

/// The verb `register`: guides a person to their own client ID, tests it, and has git store it.
package struct Register: Command {
    private let request: Request
    private let clientID: String?
    private let kind: AppKind
    private let questions: any Questions
    private let files: any ConfigurationFiles
    private let dependencies: Dependencies

    /// How often a client ID that does not work can be corrected.
    private static let mostAttempts = 5

    /// A registration.
    ///
    /// - Parameters:
    ///   - request: the host.
    ///   - kind: what kind of app.
    ///   - clientID: the ID of an app that is registered already; nil to show how.
    ///   - questions: the person.
    ///   - files: git's configuration.
    ///   - dependencies: everything else outside.
    package init(
        _ request: Request, _ kind: AppKind, clientID: String?, questions: any Questions,
        files: any ConfigurationFiles, with dependencies: Dependencies
    ) {
        self.request = request
        self.clientID = clientID
        self.kind = kind
        self.questions = questions
        self.files = files
        self.dependencies = dependencies
    }

    /// What it reports.
    package enum Report: Equatable {
        /// How to register an app.
        case instructions(Registration)
        /// The page is opening.
        case pageOpens
        /// The person has cancelled, and nothing was changed.
        case cancelled
        /// The client ID works, and is configured under that key.
        case remembered(host: DisplayText, key: DisplayText, clientID: DisplayText)
    }

    /// Registers an app on the host of the request.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let context = try ContextResolver(with: dependencies).signInContext(of: request)
        do throws(OperationFailure) {
            let works: String
            if let clientID {
                try check(clientID, context)
                works = clientID
            } else {
                works = try lead(context, tell)
            }
            tell(try remember(works, for: context.host))
            return .done
        } catch {
            if let error = error.error { throw error }
            tell(.cancelled)
            return .cancelled
        }
    }

    /// Shows how to get a client ID, and asks for it until it works.
    private func lead(_ context: SignInContext, _ tell: (Report) -> Void) throws(OperationFailure) -> String {
        let host = context.host
        guard let registration = host.provider.registration(of: kind, on: host) else {
            throw .failed(.noRegistrationPage(host: host.displayName))
        }
        tell(.instructions(registration))
        let prohibition = try prohibition()
        guard prohibition == nil, questions.canAsk else {
            throw .failed(.nobodyToAsk(host: host.displayName, because: prohibition?.setting))
        }
        if questions.open(registration.page) { tell(.pageOpens) }
        var last: String?
        var attempt = 1
        while true {
            let question = Question.clientID(last: last.map { DisplayText(own: $0) })
            guard case .line(let line) = questions.ask(question) else { throw .known }
            let clientID = line.isEmpty ? last ?? "" : line
            do {
                try check(clientID, context)
                return clientID
            } catch {
                guard let failure = error.error, Self.isWorthAnotherID(failure), attempt < Self.mostAttempts else {
                    throw error
                }
                dependencies.report(failure)
                if Self.isSound(clientID) { last = clientID }
            }
            attempt += 1
        }
    }

    private func prohibition() throws(OperationFailure) -> Interactivity.Prohibition? {
        do {
            return try ContextResolver(with: dependencies).prohibition
        } catch {
            throw .failed(.configurationUnreadable(error))
        }
    }

    /// Whether another client ID, or a change at the server, can help.
    private static func isWorthAnotherID(_ error: UserFacingError) -> Bool {
        error.code == .clientUnusable
    }

    /// Tries a client ID by asking for a code, which is then left to expire.
    private func check(_ clientID: String, _ context: SignInContext) throws(OperationFailure) {
        guard Self.isSound(clientID) else { throw .failed(.malformedClientID) }
        let transport = dependencies.transport(context.transport)
        let server: SignInServer
        do {
            server = try context.server(with: dependencies)
        } catch {
            throw .failed(error)
        }
        do throws(DeviceFlowError) {
            _ = try DeviceFlow(client: server.client(id: clientID), transport: transport).requestCode()
        } catch .cancelled, .abandoned {
            throw .known
        } catch {
            throw .failed(
                .registration(
                    error, host: context.host.displayName, clientID: DisplayText(own: clientID),
                    form: context.host.provider.registration(of: kind, on: context.host)?.form))
        }
    }

    /// A client ID contains no spaces, at GitHub or anywhere else.
    private static func isSound(_ clientID: String) -> Bool {
        !clientID.isEmpty && clientID.utf8.count <= 255 && clientID.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    private func remember(_ clientID: String, for host: SignInHost) throws(OperationFailure) -> Report {
        let key: DisplayText = "credential.https://\(host.displayName).oauthClientId"
        let shown = DisplayText(own: clientID)
        do throws(ConfigurationFileError) {
            try files.set(key.text, to: clientID)
            let entries = try files.entries().filter { ["system", "global"].contains($0.scope) }.map(\.entry)
            let configuration = Configuration(entries, for: host.name)
            guard configuration.value("credential", "oauthClientId") == clientID else {
                throw .notTakenUp(try files.path(of: .global))
            }
        } catch {
            throw .failed(.clientIDNotKept(error, key: key, clientID: shown))
        }
        return .remembered(host: host.displayName, key: key, clientID: shown)
    }
}
