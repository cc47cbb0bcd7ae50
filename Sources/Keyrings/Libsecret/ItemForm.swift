internal import CredentialCore

/// How a keyring's items are filed: the schema, and what their attributes are called.
package struct ItemForm: Sendable {
    let schemaName: String
    private let prefix: String

    /// That of git's own `git-credential-libsecret`.
    package static let git = ItemForm(schemaName: Schema.gitPassword.rawValue, prefix: "")

    /// A token that was limited to one repository.
    ///
    /// Its attributes have names of their own: a search that names no schema does not find it either, nor one in a locked
    /// gnome-keyring, which hides the schema.
    package static let repositoryToken = ItemForm(
        schemaName: "git-credential-gitspace.RepositoryToken", prefix: "repository-token-")

    func named(_ attributes: ItemAttributes) -> [(name: String, value: [UInt8])] {
        attributes.named.map { (prefix + $0.name, $0.value) }
    }

    func attributes(_ named: [(name: String, value: [UInt8])]) -> ItemAttributes {
        ItemAttributes(
            named: named.compactMap {
                $0.name.hasPrefix(prefix) ? (String($0.name.dropFirst(prefix.count)), $0.value) : nil
            })
    }

    func label(_ attributes: ItemAttributes) -> [UInt8] {
        prefix.isEmpty ? attributes.label : Array("git-credential-gitspace: token for a share".utf8)
    }

    /// Of the schema that is written, of one that it has replaced, or of none.
    func holds(_ schemaName: String?) -> Bool {
        guard let schemaName, schemaName != self.schemaName else { return true }
        return prefix.isEmpty && Schema(rawValue: schemaName) != nil
    }
}
