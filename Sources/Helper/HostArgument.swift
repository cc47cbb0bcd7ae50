package import CredentialCore
internal import Providers

extension Request {
    /// Reads a host as people type or paste it: `github.com`, `ghe.example:8443`, a URL from a browser or from
    /// `git remote -v`.
    ///
    /// `username` outranks the account in the URL; an app finds its owner by the path. Ignores a password.
    package init(typed text: String, username: String? = nil, withPath: Bool = false) throws(RequestError) {
        let address = TypedAddress(text)
        // Keeps a text that is not a URL, for the error that shows it.
        let host = [nil, "https", "ssh", "git+ssh"].contains(address.scheme) ? address.host : text
        let account = (username ?? address.username).map { "username=\($0)\n" } ?? ""
        let path = withPath && !address.path.isEmpty ? "path=\(address.path)\n" : ""
        try self.init(parsing: Secret("protocol=https\nhost=\(host)\n\(account)\(path)".utf8))
    }
}

/// Restricted Damerau-Levenshtein distance: the number of letters to change, add, drop or swap with a neighbour.
package enum EditDistance {
    /// The closest candidate, or `nil` if more than a third of the word's letters differ, or more than two.
    package static func nearest(to word: String, of candidates: [String]) -> String? {
        let most = min(2, max(1, word.utf8.count / 3))
        guard word.utf8.count <= 32 else { return nil }
        let measured = candidates.map { ($0, between(Array(word.utf8), Array($0.utf8))) }
        return measured.filter { $0.1 <= most }.min { $0.1 < $1.1 }?.0
    }

    package static func between(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var next = [i + 1]
            for (j, other) in right.enumerated() {
                var cost = min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { cost = min(cost, before[j - 1] + 1) }
                next.append(cost)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
