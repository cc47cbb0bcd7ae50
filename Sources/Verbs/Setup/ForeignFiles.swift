package import CredentialCore

/// Files of other tools, which are read and never changed.
package protocol ForeignFiles {
    /// Returns the contents of a regular file, up to 1 MiB.
    func contents(of path: String) -> FileContents
}

/// gh's `hosts.yml` in gh's own form: a name, or a name with a value, on each line, indented by spaces.
///
/// Ignores all other forms of YAML.
struct HostsFile {
    struct Host: Equatable {
        let name: [UInt8]
        var activeUser: [UInt8]?
        /// The tokens in plain text by account, with `nil` for the active one.
        var tokens: [Token] = []
    }

    struct Token: Equatable {
        let user: [UInt8]?
        let token: Secret
    }

    private(set) var hosts: [Host] = []

    init(_ text: UnsafeRawBufferPointer) {
        // The names above the line, with their indentation.
        var above: [(indentation: Int, name: [UInt8])] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let content = line.drop { $0 == UInt8(ascii: " ") }
            let indentation = line.count - content.count
            guard let colon = Self.keyEnd(content), content.first != UInt8(ascii: "#") else { continue }
            var value = Self.unquoted(content[(colon + 1)...])
            defer { value.wipe() }
            above.removeAll { $0.indentation >= indentation }
            above.append((indentation, Self.unquoted(content[..<colon])))
            take(above.map(\.name), value)
        }
    }

    /// `names` leads from the left margin to the line.
    private mutating func take(_ names: [[UInt8]], _ value: [UInt8]) {
        if names.count == 1 { return hosts.append(Host(name: names[0])) }
        guard let last = hosts.indices.last, !value.isEmpty else { return }
        if names.count == 2, names[1] == Array("user".utf8) { hosts[last].activeUser = value }
        guard names.last == Array("oauth_token".utf8) else { return }
        if names.count == 2 { hosts[last].tokens.append(Token(user: nil, token: Secret(value))) }
        guard names.count == 4, names[1] == Array("users".utf8) else { return }
        hosts[last].tokens.append(Token(user: names[2], token: Secret(value)))
    }

    private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0d]

    /// The colon that ends a name, before a blank or the line end (YAML 1.2, 7.4.2), unlike a port's.
    private static func keyEnd(_ line: Slice<UnsafeRawBufferPointer>) -> Int? {
        line.indices.first { place in
            line[place] == UInt8(ascii: ":") && line[(place + 1)...].first.map(blanks.contains) != false
        }
    }

    private static func unquoted(_ text: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var value = Array(text.drop { blanks.contains($0) })
        while let last = value.last, blanks.contains(last) { value.removeLast() }
        guard value.count >= 2, let quote = value.first, quote == value.last, "\"'".utf8.contains(quote) else {
            return value
        }
        return Array(value.dropFirst().dropLast())
    }
}

/// The file of git-credential-store(1): an address with account and password on each line, percent-encoded.
struct CredentialStoreFile {
    /// The credentials for https, in the order of the lines.
    private(set) var credentials: [ForeignCredential] = []

    init(_ text: UnsafeRawBufferPointer, at path: String? = nil) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            var bytes = Array(line)
            defer { bytes.wipe() }
            if let credential = Self.credential(bytes[...], path) { credentials.append(credential) }
        }
    }

    /// Parses an address as git does (credential.c, `credential_from_url_gently`).
    ///
    /// The account ends at the first colon, the password at the first `@`.
    private static func credential(_ line: ArraySlice<UInt8>, _ file: String?) -> ForeignCredential? {
        let scheme = "https://".utf8
        guard line.starts(with: scheme) else { return nil }
        let rest = line.dropFirst(scheme.count)
        let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        guard let at = rest[..<authorityEnd].firstIndex(of: UInt8(ascii: "@")),
            let colon = rest[..<at].firstIndex(of: UInt8(ascii: ":")),
            let user = PercentEncoding.decoded(rest[..<colon]),
            var password = PercentEncoding.decoded(rest[(colon + 1)..<at]),
            let host = PercentEncoding.decoded(rest[(at + 1)..<authorityEnd]), !host.isEmpty,
            let place = PercentEncoding.decoded(trimmed(rest[authorityEnd...]))
        else { return nil }
        defer { password.wipe() }
        guard !password.contains(where: { [0, 0x0a, 0x0d].contains($0) }) else { return nil }
        return ForeignCredential(
            tool: "git-credential-store", host: host, user: user, path: place.isEmpty ? nil : place,
            password: Secret(password), file: file)
    }

    private static func trimmed(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        let end = path.lastIndex { $0 != slash }.map { $0 + 1 } ?? path.startIndex
        return path[..<end].drop { $0 == slash }
    }
}

/// The first entry of a netrc file that has a password for a host, as libcurl reads it (lib/netrc.c).
enum NetrcEntry {
    /// `machine HOST` and the rest on one line.
    case line
    /// `machine HOST` on a line of its own, and `password` only on the last.
    case lines
    /// An entry that no command can remove.
    case other

    private struct Word {
        let text: ArraySlice<UInt8>
        let line: Int

        func isWord(_ word: String) -> Bool { ASCII.equalsIgnoringCase(text, word) }
    }

    init?(of host: [UInt8], in text: UnsafeRawBufferPointer) {
        let rows = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let allWords = Self.words(rows)
        var words = allWords[...]
        // The words of the entry so far, or `nil` if it is another host's.
        var entry: [Word]?
        var hasPassword = false
        while let word = words.popFirst() {
            if word.isWord("machine") || word.isWord("default") {
                if hasPassword { break }
                let name = word.isWord("default") ? nil : words.popFirst()
                let isMeant = name.map { ASCII.equalsIgnoringCase($0.text, host) } != false
                entry = isMeant ? [word, name].compactMap(\.self) : nil
            } else if word.isWord("macdef") {
                // A macro ends at a blank line.
                var last = word.line
                while let next = words.first, next.line <= last + 1 {
                    last = next.line
                    words.removeFirst()
                }
            } else {
                // libcurl skips every other word alone.
                let value = ["login", "password"].contains(where: word.isWord) ? words.popFirst() : nil
                entry? += [word, value].compactMap(\.self)
                if entry != nil, value != nil, word.isWord("password") { hasPassword = true }
            }
        }
        guard hasPassword, let entry, let first = entry.first?.line, let last = entry.last?.line else { return nil }
        // sed begins at every line with this head, and removes whole lines.
        let head = Array("machine ".utf8) + host
        let heads = rows.indices.filter {
            rows[$0].starts(with: head) && rows[$0].dropFirst(head.count).first ?? 0x20 == 0x20
        }
        let isAlone = heads == [first] && allWords.count { (first...last).contains($0.line) } == entry.count
        let passwords = (first...last).filter { rows[$0].contains("password".utf8) }
        let end = rows[last].split { " \t".utf8.contains($0) }
        let endsOnce = passwords == [last] && end.count > 1 && end[0].elementsEqual("password".utf8)
        let isOnLines = rows[first].count == head.count && endsOnce
        self = isAlone && first == last ? .line : isAlone && isOnLines ? .lines : .other
    }

    /// A comment begins at a word, and quotes hold blanks.
    private static func words(_ rows: [Slice<UnsafeRawBufferPointer>]) -> [Word] {
        var words: [Word] = []
        for (line, content) in rows.enumerated() {
            var rest = content[...]
            while true {
                // A control byte ends a word and begins none.
                rest = rest.drop { $0 <= UInt8(ascii: " ") }
                guard let byte = rest.first, byte != UInt8(ascii: "#") else { break }
                let end =
                    byte == UInt8(ascii: "\"")
                    ? rest.dropFirst().firstIndex(of: byte).map { $0 + 1 } : rest.firstIndex { $0 <= UInt8(ascii: " ") }
                // Names and keywords are compared; a possible password is not copied.
                let isValue = words.last.map { $0.isWord("password") || $0.isWord("account") } == true
                let word = rest[..<(end ?? rest.endIndex)]
                words.append(Word(text: isValue ? [] : Array(word)[...], line: line))
                rest = rest[word.endIndex...]
            }
        }
        return words
    }
}
