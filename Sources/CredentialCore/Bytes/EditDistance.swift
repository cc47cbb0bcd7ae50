/// The number of letters to change, add, drop or swap with a neighbour to turn one word into another (restricted
/// Damerau-Levenshtein distance).
package enum EditDistance {
    /// Nil if no candidate is close: at most a third of the word's letters may differ, and at most two.
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
