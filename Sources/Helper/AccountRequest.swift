package import CredentialCore

/// Who has asked for an account, and where another one can be named.
package enum AccountRequest: Equatable {
    /// A person, in a command to sign in.
    case person
    /// `git clone`, of a repository with this path if git has told it; there is no remote yet.
    case clone(path: DisplayText?)
    /// Another command of git, for such a repository.
    case git(path: DisplayText?)
}
