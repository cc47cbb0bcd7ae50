internal import CredentialCore
internal import Helper

/// gh's `hosts.yml`, as gh itself writes it: a name, or a name with a value, on each line, indented by spaces.
///
/// This is no full YAML parser: anything written in another way is ignored.
struct HostsFile {
    /// A host at the left margin.
    struct Host: Equatable {
        let name: [UInt8]
        /// The active account.
        var activeUser: [UInt8]?
        /// The tokens in plain text, by account; nil for the active one.
        var tokens: [Token] = []
    }

    /// A token that is not in the keyring.
    struct Token: Equatable {
        let user: [UInt8]?
        let token: Secret
    }

    /// The hosts in their order.
    private(set) var hosts: [Host] = []

    init(_ text: UnsafeRawBufferPointer) {
        // The names above the line, with their indentation.
        var above: [(indentation: Int, name: [UInt8])] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let content = line.drop { $0 == UInt8(ascii: " ") }
            let indentation = line.count - content.count
            guard let colon = content.firstIndex(of: UInt8(ascii: ":")), content.first != UInt8(ascii: "#") else {
                continue
            }
            var value = Self.unquoted(content[(colon + 1)...])
            defer { value.wipe() }
            above.removeAll { $0.indentation >= indentation }
            above.append((indentation, Array(content[..<colon])))
            take(above.map(\.name), value)
        }
    }

    /// Reads a line from its path of names and its value.
    private mutating func take(_ names: [[UInt8]], _ value: [UInt8]) {
        if names.count == 1 { return hosts.append(Host(name: names[0])) }
        guard let last = hosts.indices.last, !value.isEmpty else { return }
        if names.count == 2, names[1] == Array("user".utf8) { hosts[last].activeUser = value }
        guard names.last == Array("oauth_token".utf8) else { return }
        if names.count == 2 { hosts[last].tokens.append(Token(user: nil, token: Secret(value))) }
        guard names.count == 4, names[1] == Array("users".utf8) else { return }
        hosts[last].tokens.append(Token(user: names[2], token: Secret(value)))
    }

    private static func unquoted(_ text: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0d]
        var value = Array(text.drop { blanks.contains($0) })
        while let last = value.last, blanks.contains(last) { value.removeLast() }
        guard value.count >= 2, let quote = value.first, quote == value.last, "\"'".utf8.contains(quote) else {
            return value
        }
        return Array(value.dropFirst().dropLast())
    }
}
