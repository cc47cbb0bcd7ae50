/// Where the person's own configuration lies, by the rules of git-config(1), "FILES".
enum GlobalConfiguration {
    /// The usual place; nil without a home folder.
    static var usualPath: String? { home.map { "\($0)/.gitconfig" } }

    /// The other place, which git reads before that one; nil if there is none.
    static var xdgPath: String? {
        let folder = Environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home.map { "\($0)/.config" }
        return folder.map { "\($0)/git/config" }
    }

    private static var home: String? { Environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } }
}
