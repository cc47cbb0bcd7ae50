internal import CredentialCore
internal import Helper
internal import OAuth

/// What other tools have written, made fit to be shown.
enum ForeignText {
    /// Text of theirs without anything that a terminal would obey.
    static func shown(_ bytes: [UInt8]) -> String { DisplayText.escaped(bytes) }

    /// The command that removes the item with these attributes.
    static func removal(_ attributes: [(name: String, value: [UInt8])]) -> String {
        (["secret-tool", "clear"] + attributes.flatMap { [$0.name, ShellWord.quoted(shown($0.value))] })
            .joined(separator: " ")
    }

    /// The command by which gh forgets an account, in the keyring and in its file.
    static func logout(_ user: [UInt8], of host: [UInt8]) -> String {
        "gh auth logout --hostname \(ShellWord.quoted(shown(host))) --user \(ShellWord.quoted(shown(user)))"
    }

    /// A password as it may be seen: what kind of token it is, and nothing of the rest.
    static func masked(_ password: Secret) -> String {
        let kinds = ["gho_", "ghp_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"]
        return password.reveal { bytes in
            (kinds.first { bytes.starts(with: $0.utf8) } ?? "") + "****"
        }
    }
}
