package import CredentialCore
package import Helper

/// A log-out, after the last of which git asks the host without a token first again.
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
        /// git does not send the token with its first request any more.
        case proactiveTakenBack(host: DisplayText)
    }

    /// Logs out, and takes back `http.<url>.proactiveAuth` if nobody is signed in any more.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let status = try logout.run { tell(.loggedOut($0)) }
        // What is not known to be a host of ours, or to be empty, is left as it is.
        guard let context = try? ContextResolver(with: dependencies).signInContext(of: request) else { return status }
        let proactive = ProactiveAuthentication(files, with: dependencies)
        guard (try? proactive.isSignedIn(to: context.host.name)) == false else { return status }
        do throws(ConfigurationFileError) {
            if try proactive.takeBack(for: context.host) { tell(.proactiveTakenBack(host: context.host.displayName)) }
        } catch {
            throw .configuration(error, verb: "unconfigure")
        }
        return status
    }
}
