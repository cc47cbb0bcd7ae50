/// The part of a host that a token is for: `acme`, or `acme/private`.
///
/// Loops over bytes: collections of parts would add kilobytes to the front door.
enum PathScope {
    /// Whether a path lies in a scope: its first parts are the scope's, with or without `.git`.
    ///
    /// Hosts compare the names of owners and repositories without regard to case.
    static func contains(_ path: [UInt8], in scope: [UInt8]) -> Bool {
        var (index, wanted) = (start(in: path, from: 0), start(in: scope, from: 0))
        guard wanted < scope.count else { return false }
        while wanted < scope.count {
            let (end, wantedEnd) = (end(in: path, from: index), end(in: scope, from: wanted))
            let count = nameCount(scope, wanted, wantedEnd)
            guard count > 0, nameCount(path, index, end) == count else { return false }
            var offset = 0
            while offset < count {
                guard ASCII.folded(path[index + offset]) == ASCII.folded(scope[wanted + offset]) else { return false }
                offset += 1
            }
            (index, wanted) = (start(in: path, from: end), start(in: scope, from: wantedEnd))
        }
        return true
    }

    private static func start(in text: [UInt8], from index: Int) -> Int {
        var index = index
        while index < text.count, text[index] == UInt8(ascii: "/") { index += 1 }
        return index
    }

    private static func end(in text: [UInt8], from index: Int) -> Int {
        var index = index
        while index < text.count, text[index] != UInt8(ascii: "/") { index += 1 }
        return index
    }

    /// The length of a part, without `.git`.
    private static func nameCount(_ text: [UInt8], _ start: Int, _ end: Int) -> Int {
        let count = end - start
        let isGit =
            count > 4 && text[end - 4] == UInt8(ascii: ".") && text[end - 3] == UInt8(ascii: "g")
            && text[end - 2] == UInt8(ascii: "i") && text[end - 1] == UInt8(ascii: "t")
        return isGit ? count - 4 : count
    }
}
