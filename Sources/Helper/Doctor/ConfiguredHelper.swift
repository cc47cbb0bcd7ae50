internal import Configuration
internal import Hosts
internal import OAuth

/// A line `helper = …` of git's configuration, and where it stands.
///
/// Values can hold passwords, and arguments that are nobody's business: only the helper's name is ever shown.
struct ConfiguredHelper: Equatable {
    /// The URL that it is for; nil for all.
    let subsection: String?
    /// The value; an empty one takes back those before it.
    let value: String
    /// The file, as git names it; nil for a command line, an environment or the like.
    let file: String?
    /// Whether the person or the system says so, and not a repository.
    let isTrusted: Bool

    /// Reads `git config --list --show-scope --show-origin -z`: scope, origin, name and value, each ended by a NUL, but for
    /// the LF between the last two.
    ///
    /// - Parameter list: what git printed, repositories' own files included: git takes helpers from there as well.
    /// - Returns: the helpers in git's order.
    static func parse(_ list: [UInt8]) -> [ConfiguredHelper] {
        let fields = list.split(separator: 0, omittingEmptySubsequences: false)
        var helpers: [ConfiguredHelper] = []
        for index in stride(from: 0, to: fields.count - 2, by: 3) {
            let line = String(decoding: fields[index + 2], as: UTF8.self)
            let parts = line.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, name.hasPrefix("credential."), name.hasSuffix(".helper") else { continue }
            let middle = name.dropFirst("credential".count).dropLast("helper".count)
            let origin = String(decoding: fields[index + 1], as: UTF8.self)
            helpers.append(
                ConfiguredHelper(
                    subsection: middle.count > 2 ? String(middle.dropFirst().dropLast()) : nil,
                    value: parts.count > 1 ? String(parts[1]) : "",
                    file: origin.hasPrefix("file:") ? String(origin.dropFirst("file:".count)) : nil,
                    isTrusted: !["local", "worktree"].contains { fields[index].elementsEqual($0.utf8) }))
        }
        return helpers
    }

    /// The helpers that git asks for a host, in its order: all that match, since the last empty value.
    static func effective(_ helpers: [ConfiguredHelper], for host: HostName) -> [ConfiguredHelper] {
        var effective: [ConfiguredHelper] = []
        for helper in helpers where helper.matches(host) {
            if helper.value.isEmpty { effective = [] } else { effective.append(helper) }
        }
        return effective
    }

    private func matches(_ host: HostName) -> Bool {
        guard let subsection else { return true }
        return URLPattern(subsection)?.closeness(toHTTPS: host, path: []) != nil
    }

    /// Whether it is a line for a shell (gitcredentials(7)).
    var isShellCommand: Bool { value.hasPrefix("!") }

    /// The program's name without what git puts before it: `gitspace`, `store`; nil for a shell's line.
    private var name: String? {
        guard !isShellCommand else { return nil }
        let program = value.prefix { $0 != " " }.split(separator: "/").last.map(String.init) ?? ""
        let prefix = "git-credential-"
        return program.hasPrefix(prefix) ? String(program.dropFirst(prefix.count)) : program
    }

    /// Whether it leads to us.
    var isOurs: Bool { name.map { $0 == "gitspace" } ?? value.contains("credential-gitspace") }

    /// Whether it writes what it gets to a file, as it is.
    var isPlainText: Bool { name.map { $0 == "store" } ?? value.contains("credential-store") }

    /// The name, fit to be shown; nil for a shell's line, which is not shown at all.
    var shownName: String? { name.map { ServerText.shown(Array($0.utf8)) } }

    /// Where it stands, fit to be shown.
    var shownFile: String? { file.map { ServerText.shown(Array($0.utf8)) } }

    /// The command that removes it; nil where it cannot be removed by one, or that would show what must not be shown.
    var removal: String? {
        guard let file, let name, value == name, Self.isPlain(file), Self.isPlain(name) else { return nil }
        let key = subsection.map { "credential.\($0).helper" } ?? "credential.helper"
        guard Self.isPlain(key), !key.contains("@") else { return nil }
        return "git config --file \(file) --unset-all \(key) '^\(name)$'"
    }

    /// Nothing that a shell would read otherwise.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "/.-_:@+".utf8.contains(byte)
            }
    }
}
