package import CredentialCore

/// What a person may have to do in a browser; a kind of host need not have all of these.
package enum ProviderPage {
    /// Make a personal access token, with the rights that git needs chosen.
    case newToken
    /// The same for one that reaches the chosen repositories alone.
    case newFineGrainedToken
    /// See or withdraw what an app may do in one's name; without a client ID, what else has access.
    case access(clientID: String?)
    /// Have an organisation approve an app.
    case approval
    /// See where apps are installed, and let them into a repository.
    case installations
    /// Look at a repository, by a name as `Provider.repositoryName` gives it.
    case repository(String)
    /// See which branches of a repository not everybody may push to who may push.
    case branchRules(String)
    /// Sign on with an organisation.
    case singleSignOn(organisation: String)
}

extension HTTPSAddress {
    /// A page that a server names, put together from the words that it takes from there.
    ///
    /// Nil for any page but of these forms, in which `*` is a word: one on the same host may do something in the person's
    /// name, and there are many ways to write `..`.
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

    /// Letters, digits, `-` and `_`: nothing that separates, escapes or leads elsewhere.
    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && ASCII.isPlain(text.utf8, with: "-_")
    }
}

/// Where a token is revoked whose kind can be told by the token itself.
package struct TokenPage: Equatable {
    package let address: HTTPSAddress
    /// Whether the page is for tokens that a person has made, and not for apps.
    package let isPersonal: Bool
}

/// What kind of app a person registers.
package enum AppKind: CaseIterable {
    /// An OAuth client of the host's usual kind (RFC 6749, 2).
    case oauthApp
    /// A GitHub App: its tokens end after eight hours and are renewed, and reach what the app is installed on.
    case gitHubApp
}

/// Where a person registers an app, and what they find there.
package struct Registration: Equatable {
    package let page: HTTPSAddress
    package let form: Form
    /// What the app asks for, separated by spaces.
    package let scopes: String
    /// A GitHub App is installed there on what it shall reach.
    package let ownApps: HTTPSAddress?

    /// A form that a person fills in, and what is theirs to do in it.
    package enum Form: Sendable {
        /// GitHub's OAuth App: its tokens reach all that the person can reach, and do not end.
        case gitHubOAuthApp
        case gitHubApp
        /// GitLab's user-owned application, which asks for no more than its scopes and has to be public.
        case gitLabApplication
        /// Gitea's and Forgejo's application, which has to be public as well.
        case giteaApplication
    }
}
