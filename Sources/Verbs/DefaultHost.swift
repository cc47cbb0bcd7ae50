internal import CredentialCore
package import Helper

/// The host of a verb if the person names none.
///
/// That of the repository in the current folder, if the person has configured it or is signed in there; else
/// github.com. A repository alone leads nobody to a host that they have never used.
package enum DefaultHost {
    /// The usual one.
    package static let usual = "github.com"

    /// Chooses.
    ///
    /// - Parameters:
    ///   - remote: the address of the repository's remote, as git tells it; nil if there is none.
    ///   - dependencies: everything outside.
    /// - Returns: the host as a person would name it.
    package static func of(remote: String?, with dependencies: Dependencies) -> String {
        let resolver = ContextResolver(with: dependencies)
        guard let remote, let request = try? HostArgument(remote).request(username: nil),
            let context = try? resolver.credentialContext(of: request),
            let signIn = try? resolver.signInContext(of: context)
        else { return usual }
        let isConfigured = (try? resolver.configuredHosts)?.contains { $0.host == signIn.host } ?? false
        guard isConfigured || isKnown(signIn, dependencies) else { return usual }
        return String(decoding: signIn.host.name.text, as: UTF8.self)
    }

    private static func isKnown(_ context: SignInContext, _ dependencies: Dependencies) -> Bool {
        let query = context.query(path: nil)
        return (try? dependencies.keyring.items(having: query.search)).map { !query.matching($0).isEmpty } ?? false
    }
}
