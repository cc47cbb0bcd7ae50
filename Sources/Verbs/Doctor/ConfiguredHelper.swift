internal import CredentialCore
internal import Helper
internal import Providers

/// A helper that git asks, and what is known about it.
///
/// Values can contain passwords: only a name and the words of a shell command that cannot be a secret are ever shown.
struct ConfiguredHelper {
    private let link: HelperChain.Link

    init(_ link: HelperChain.Link) { self.link = link }

    /// The value.
    var value: String { link.helper }

    /// Whether the person or the system configured it, not a repository.
    var isTrusted: Bool { link.isTrusted }

    /// The file; nil for a command line, an environment or the like.
    private var file: String? { link.scope == "command" ? nil : link.origin }

    /// Whether it is a shell command (gitcredentials(7)).
    var isShellCommand: Bool { value.hasPrefix("!") }

    /// The program's name without git's prefix: `gitspace`, `store`; nil for a shell command.
    private var name: String? {
        guard !isShellCommand else { return nil }
        let program = value.prefix { $0 != " " }.split(separator: "/").last.map(String.init) ?? ""
        let prefix = "git-credential-"
        return program.hasPrefix(prefix) ? String(program.dropFirst(prefix.count)) : program
    }

    /// Whether it calls us.
    var isOurs: Bool {
        if link.isOurs || !isTrusted { return link.isOurs }
        return name.map { $0 == "gitspace" } ?? value.contains("credential-gitspace")
    }

    /// Whether it stores credentials in plain text.
    var isPlainText: Bool { name.map { $0 == "store" } ?? value.contains("credential-store") }

    /// The name, or what of a shell command cannot be secret, safe to show.
    var shownName: DisplayText { DisplayText((name ?? OtherHelper.shown(value)).utf8) }

    /// Its file, safe to show.
    var shownFile: DisplayText? { file.map { DisplayText($0.utf8) } }

    /// What removes it; nil if no command does, or if the command might show a secret.
    var removal: Diagnosis.OtherHelperLine.Removal? {
        guard let file, let name, value == name, Self.isPlain(file), Self.isPlain(name) else { return nil }
        let key = link.url.map { "credential.\($0).helper" } ?? "credential.helper"
        guard Self.isPlain(key), !key.contains("@") else { return nil }
        return .init(file: DisplayText(own: file), key: DisplayText(own: key), name: DisplayText(own: name))
    }

    /// Whether a shell reads it literally.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "/.-_:@+".utf8.contains(byte)
            }
    }
}
