package import CredentialCore
package import Helper
internal import Messages
internal import OAuth
package import Providers

/// The verb `register`: leads a person to a client ID of their own, tries it, and has git remember it.
package struct Register {
    private let kind: AppKind
    private let questions: any Questions
    private let files: any ConfigurationFiles
    private let dependencies: Dependencies

    /// How often a client ID that does not work can be corrected.
    private static let mostAttempts = 5

    /// A registration.
    package init(
        _ kind: AppKind, questions: any Questions, files: any ConfigurationFiles, with dependencies: Dependencies
    ) {
        self.kind = kind
        self.questions = questions
        self.files = files
        self.dependencies = dependencies
    }

    private struct Cancelled: Error {}

    /// Registers an app on the host of a request.
    ///
    /// - Parameters:
    ///   - request: the host.
    ///   - clientID: the ID of an app that is registered already; nil to be led through it.
    /// - Returns: how it ended; what failed has been told.
    package func run(_ request: Request, clientID: String?) -> Login.End {
        do {
            let context = try ContextResolver(with: dependencies).signInContext(of: request)
            if let clientID { try check(clientID, context) }
            try remember(clientID ?? lead(context), for: context.host)
            return .done
        } catch let complaint as UserFacingError {
            dependencies.report(complaint)
        } catch {
            questions.tell([Message("Cancelled. Nothing was changed.")])
            return .cancelled
        }
        return .failed
    }

    /// Shows the way to a client ID, and asks for it until it works.
    private func lead(_ context: SignInContext) throws -> String {
        let host = context.host
        let page = host.provider.page(.registration(kind), on: host)
        questions.tell(instructions(host, page))
        let prohibition = ContextResolver(with: dependencies).prohibition
        guard prohibition == nil, questions.canAsk else {
            throw UserFacingError.nobodyToAsk(host: host.displayName, because: prohibition?.setting)
        }
        if questions.open(page) { questions.tell([Message("The page is opening in your browser.")]) }
        var last: String?
        for attempt in 1... {
            let question = last.map { Message("Client ID (Enter tries %1$s again): ", $0) } ?? Message("Client ID: ")
            guard case .line(let line) = questions.ask(question) else { throw Cancelled() }
            let clientID = line.isEmpty ? last ?? "" : line
            do {
                try check(clientID, context)
                return clientID
            } catch let complaint as UserFacingError {
                guard complaint.isWorthAnotherID, attempt < Self.mostAttempts else { throw complaint }
                dependencies.report(complaint)
                if Self.isSound(clientID) { last = clientID }
            }
        }
        throw Cancelled()
    }

    private func instructions(_ host: SignInHost, _ page: HTTPSAddress) -> [Message] {
        let opening: [Message] = [
            Message("1. Open this page, here or on any other device:"), .command(page.text),
        ]
        let steps: [Message] =
            switch kind {
            case .oauthApp:
                [
                    Message("2. Tick \"Enable Device Flow\". The name and the addresses may be any."),
                    Message("3. Register the app, and copy its client ID. A client secret is not needed."),
                ]
            case .gitHubApp:
                [
                    Message("2. Give it a name that nobody else has. Tick \"Enable Device Flow\"."),
                    .indented(Message("Leave \"Expire user authorization tokens\" ticked, and the webhook off.")),
                    .indented(Message("Repository permissions: Contents and Workflows, both \"Read and write\".")),
                    Message("3. Create the app, and copy its client ID; that is not the App ID."),
                    Message("4. Install it on the repositories that it shall reach:"),
                    .command(host.provider.page(.ownApps, on: host).text),
                ]
            }
        return opening + steps
    }

    /// Tries a client ID by asking for a code, which is then left to expire.
    private func check(_ clientID: String, _ context: SignInContext) throws {
        guard Self.isSound(clientID) else { throw UserFacingError.malformedClientID }
        let transport = dependencies.transport(context.transport)
        do throws(DeviceFlowError) {
            _ = try DeviceFlow(client: context.client(id: clientID), transport: transport).requestCode()
        } catch .cancelled, .abandoned {
            throw Cancelled()
        } catch {
            throw UserFacingError.registration(error, host: context.host.displayName, clientID: clientID)
        }
    }

    /// What GitHub calls a client ID has no blanks; neither has anybody else's.
    private static func isSound(_ clientID: String) -> Bool {
        !clientID.isEmpty && clientID.utf8.count <= 255 && clientID.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    private func remember(_ clientID: String, for host: SignInHost) throws {
        let key = "credential.https://\(host.displayName).oauthClientId"
        do throws(ConfigurationFileError) {
            try files.set(key, to: clientID)
            let entries = try files.entries().filter { ["system", "global"].contains($0.scope) }.map(\.entry)
            let configuration = Configuration(entries, for: host.name)
            guard configuration.value("credential", "oauthClientId") == clientID else {
                throw .notTakenUp(try files.path(of: .global))
            }
        } catch {
            throw UserFacingError.clientIDNotKept(error, key: key, clientID: clientID)
        }
        questions.tell([
            Message("%1$s knows the app. Its client ID is in git's configuration now:", host.displayName),
            .command("\(key) = \(clientID)"),
            Message("To sign in, clone or push, or do it now:"),
            .command("git credential-gitspace login \(host.displayName)"),
        ])
    }
}
