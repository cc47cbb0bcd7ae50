package import CredentialCore

/// A page that a person may need in a browser; hosts need not have all of them.
package enum ProviderPage {
    /// Creates a personal access token with the rights that git needs.
    case newToken
    /// Creates a token for chosen repositories only.
    case newFineGrainedToken
    /// Shows or withdraws an app's access or, without a client ID, all other access.
    case access(clientID: String?)
    /// Asks an organisation to approve an app.
    case approval
    /// Shows where apps are installed, and admits them to a repository.
    case installations
    case repository(String)
    /// Shows who may push to the protected branches of a repository.
    case branchRules(String)
    case singleSignOn(organisation: String)
}

extension HTTPSAddress {
    /// A page that a server names, rebuilt from the words in its URL, or `nil` if it has none of the forms.
    ///
    /// `*` in a form is a word. Other pages of the host may act in the person's name, and `..` has many spellings.
    static func page(
        _ url: String, on origin: HTTPSAddress, like forms: [String], query name: String
    ) -> HTTPSAddress? {
        guard let address = HTTPSAddress(parsing: url), address.isSameOrigin(as: origin) else { return nil }
        let parts = address.path.split(separator: "?", omittingEmptySubsequences: false)
        guard parts.count <= 2, forms.contains(where: { isPath(parts[0], like: $0) }) else { return nil }
        let page = origin.appending(String(parts[0]))
        guard parts.count == 2 else { return page }
        let field = parts[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard field.count == 2, field[0] == name else { return nil }
        // Padding of base64url may follow.
        let value = field[1].prefix { $0 != "=" }
        guard isWord(value), field[1].dropFirst(value.count).allSatisfy({ $0 == "=" }) else { return nil }
        return page.appending("?\(name)=\(field[1])")
    }

    private static func isPath(_ path: Substring, like form: String) -> Bool {
        let folders = path.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = form.split(separator: "/", omittingEmptySubsequences: false)
        return folders.count == wanted.count
            && zip(folders, wanted).allSatisfy { $1 == "*" ? isWord($0) : $0 == $1 }
    }

    private static func isWord(_ text: Substring) -> Bool { !text.isEmpty && ASCII.isPlain(text.utf8, with: "-_") }
}

package struct TokenPage: Equatable {
    package let address: HTTPSAddress
    /// Whether the page is for people's own tokens instead of apps.
    package let isPersonal: Bool
}

package enum AppKind: CaseIterable {
    /// An OAuth client of the host's usual kind (RFC 6749, 2).
    case oauthApp
    /// A GitHub App, whose tokens expire after eight hours, can be refreshed, and reach only repositories with the app.
    case gitHubApp
}

package struct Registration: Equatable {
    package let page: HTTPSAddress
    package let form: Form
    /// The scopes of the app, separated by spaces.
    package let scopes: String
    /// The page for installing a GitHub App on repositories.
    package let ownApps: HTTPSAddress?

    package enum Form: Sendable {
        /// The form of an OAuth App, whose tokens reach everything that the person can reach, and do not expire.
        case gitHubOAuthApp
        case gitHubApp
        /// The form of a user-owned application, limited to its scopes, which has to be public.
        case gitLabApplication
        /// The form of an application, which has to be public.
        case giteaApplication
    }
}
