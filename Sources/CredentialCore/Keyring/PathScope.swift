/// The part of a host that a token is for: `acme`, or `acme/private`.
enum PathScope {
    private static let slash = UInt8(ascii: "/")
    private static let git = Array(".git".utf8)

    /// Whether a path lies in a scope: its first parts are the scope's, with or without `.git`.
    ///
    /// Hosts compare the names of owners and repositories without regard to case.
    static func contains(_ path: [UInt8], in scope: [UInt8]) -> Bool {
        let wanted = scope.split(separator: slash)
        let asked = path.split(separator: slash)
        guard !wanted.isEmpty, wanted.count <= asked.count else { return false }
        return wanted.indices.allSatisfy {
            name(asked[$0]).elementsEqual(name(wanted[$0])) { ASCII.folded($0) == ASCII.folded($1) }
        }
    }

    private static func name(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        part.count > git.count && part.suffix(git.count).elementsEqual(git) ? part.dropLast(git.count) : part
    }
}
