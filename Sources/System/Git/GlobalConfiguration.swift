/// The paths of the person's own configuration, by the rules of git-config(1), "FILES".
enum GlobalConfiguration {
    /// The usual path; nil without a home directory.
    static var usualPath: String? { home.map { "\($0)/.gitconfig" } }

    /// The other path, which git reads before the usual one; nil if there is none.
    static var xdgPath: String? {
        let folder = Environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home.map { "\($0)/.config" }
        return folder.map { "\($0)/git/config" }
    }

    private static var home: String? { Environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } }
}
