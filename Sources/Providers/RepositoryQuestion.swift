package import CredentialCore
package import OAuth

/// How one kind of host is asked about a repository, and how its answer is read.
///
/// One type for each kind: another kind of host brings its own, and `RepositoryQuestions` names it.
package protocol RepositoryQuestion {
    /// The repository's name as people know it, of the parts of a path; nil if they name none.
    func name(_ segments: [String]) -> String?
    /// Where the API describes the repository of that name.
    func address(of name: String, on host: SignInHost) -> HTTPSAddress
    /// The request; without a token, what everybody is told.
    func request(_ address: HTTPSAddress, token: Secret?) -> HTTPRequest
    /// Reads what came.
    func answer(_ response: HTTPResponse, on host: SignInHost) -> RepositoryAnswer
    /// The page on which an account sees the apps that are installed for it.
    func installationsPage(on host: SignInHost) -> HTTPSAddress
}

/// Which kind of host is asked how.
package enum RepositoryQuestions {
    /// The questions for a kind of host; nil for a plain store.
    package static func of(_ provider: Provider) -> (any RepositoryQuestion)? {
        switch provider {
        case .github: GitHubRepositoryQuestion()
        case .none: nil
        }
    }
}
