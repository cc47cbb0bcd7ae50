package import CredentialCore
internal import Providers

/// A host as people type or paste it: `github.com`, `ghe.example:8443`, a URL from a browser or from `git remote -v`.
package struct HostArgument: Equatable {
    /// The host, with `:port` if there is one, but without ssh's port; not checked yet.
    package let host: String
    /// The account, or `nil` for `git@` in an ssh URL, which is none.
    package let username: String?
    /// The path without a leading slash, by which an app finds its owner.
    package let path: String?

    /// Ignores a password; keeps a text that is not a URL, for the error that shows it.
    package init(_ text: String) {
        let address = TypedAddress(text)
        let isUnderstood = [nil, "https", "ssh", "git+ssh"].contains(address.scheme)
        host = isUnderstood ? address.host : text
        username = address.username
        path = address.path.isEmpty ? nil : address.path
    }

    /// Returns whether the scheme is http, over which no credential is sent.
    package static func isPlainHTTP(_ text: String) -> Bool { TypedAddress(text).scheme == "http" }

    /// The account from an option outranks the one in the URL.
    package func request(username: String?, withPath: Bool = false) throws(RequestError) -> Request {
        let account = (username ?? self.username).map { "username=\($0)\n" } ?? ""
        let path = withPath ? self.path.map { "path=\($0)\n" } ?? "" : ""
        return try Request(parsing: Secret("protocol=https\nhost=\(host)\n\(account)\(path)".utf8))
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
