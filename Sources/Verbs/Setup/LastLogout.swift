package import CredentialCore
package import Helper
package import Messages

/// A log-out; after the last one, git again makes its first request without a token.
package struct LastLogout: Command {
    private let logout: Logout
    private let request: Request
    private let files: any ConfigurationFiles
    private let dependencies: Dependencies

    /// A log-out.
    ///
    /// - Parameters:
    ///   - logout: what removes the accounts.
    ///   - request: whose they are.
    ///   - files: git's configuration.
    ///   - dependencies: everything else outside.
    package init(
        _ logout: Logout, of request: Request, files: any ConfigurationFiles, with dependencies: Dependencies
    ) {
        self.logout = logout
        self.request = request
        self.files = files
        self.dependencies = dependencies
    }

    /// What was done.
    package enum Report {
        /// Accounts were removed.
        case loggedOut(Logout.Report)
        /// git no longer sends the token with its first request.
        case proactiveTakenBack(host: DisplayText)
        /// git's configuration still names an account that was removed.
        case defaultStays(DisplayText, line: ConfigurationLine, host: DisplayText, hasOthers: Bool)
    }

    /// Logs out, and removes `http.<url>.proactiveAuth` if nobody is signed in any more.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        var removed: [DisplayText] = []
        let status = try logout.run { report in
            removed += report.accounts
            tell(.loggedOut(report))
        }
        // Changed only if it is our host, and certain that nobody is signed in.
        guard let context = try? ContextResolver(with: dependencies).signInContext(of: request) else { return status }
        if let stays = defaultThatStays(removed, context) { tell(stays) }
        let proactive = ProactiveAuthentication(files, with: dependencies)
        guard (try? proactive.isSignedIn(to: context.host.name)) == false else { return status }
        do throws(ConfigurationFileError) {
            if try proactive.takeBack(for: context.host) { tell(.proactiveTakenBack(host: context.host.displayName)) }
        } catch {
            throw .configuration(error, verb: "unconfigure")
        }
        return status
    }

    /// A remote that names no account asks for the one of `credential.<url>.username`, whoever else is signed in.
    private func defaultThatStays(_ removed: [DisplayText], _ context: SignInContext) -> Report? {
        guard let entries = try? files.entries(), let line = ConfiguredUsername(entries, for: context.host.name).line,
            line.isInPersonsFile
        else { return nil }
        let shown = ConfigurationLine(line)
        let everything = CredentialContext(context.host, path: nil).everything(user: nil)
        // A name may be stored for parts of the host as well.
        guard removed.contains(shown.value), let left = try? Lookup(with: dependencies).all(everything).usernames,
            !left.map({ DisplayText($0) }).contains(shown.value)
        else { return nil }
        return .defaultStays(shown.value, line: shown, host: context.host.displayName, hasOthers: !left.isEmpty)
    }
}
