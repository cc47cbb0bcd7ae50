internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System

/// The verb `import [--from gh|gcm|store] [--dry-run]`.
struct ImportVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over what other tools have stored.",
        discussion: "Copies passwords and tokens into the keyring, in this program's form. Nothing is removed.")

    @Option(help: "Only from gh, gcm (Git Credential Manager) or store (git-credential-store).")
    var from: ImportSource?

    @Flag(help: "Show what would be copied, and store nothing.")
    var dryRun = false

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        let root = CompositionRoot(streams, signals, for: nil)
        let verb = Import(
            from: from.map { [$0] } ?? ImportSource.allCases, keyring: root.foreignKeyring, files: root.foreignFiles,
            with: root.dependencies)
        guard let report = verb.run(isDryRun: dryRun) else { return Login.End.failed.rawValue }
        say(lines(report), on: streams)
        let hasFailed = report.accounts.contains { $0.outcome == .failed }
        return (hasFailed ? Login.End.failed : .done).rawValue
    }

    private func lines(_ report: Import.Report) -> [Message] {
        var lines = report.accounts.map(line)
        if report.accounts.isEmpty { lines.append(Message("Nothing was found to import.")) }
        lines += report.leftOut.map(Self.line)
        let files = report.oldCopies.compactMap(Self.removalOfFile)
        let items = report.oldCopies.compactMap(Self.removalOfItem)
        guard !dryRun, !files.isEmpty || !items.isEmpty else { return lines }
        lines.append(Message("Nothing was removed: the old copies are where they were."))
        if !items.isEmpty {
            lines.append(Message("In the keyring, for as long as the other tool needs them. To remove them:"))
            lines += items
        }
        return lines + files.joined()
    }

    private func line(_ account: Import.Account) -> Message {
        let words = [account.place, account.username, account.masked, "(\(account.source.rawValue))"]
        let what = Message(verbatim: words.joined(separator: "  "))
        switch account.outcome {
        case .imported where dryRun: return Message("%1$s: would be imported", what)
        case .imported: return Message("%1$s: imported", what)
        case .alreadyThere: return Message("%1$s: already there", what)
        case .kept: return Message("%1$s: not imported, another one is stored for this account", what)
        case .unstorable: return Message("%1$s: not imported, git could not ask for it", what)
        case .failed: return Message("%1$s: the keyring did not save it", what)
        }
    }

    private static func line(_ leftOut: ImportLeftOut) -> Message {
        switch leftOut {
        case .unreadableFile(let path): Message("Left out: %1$s cannot be read", path)
        case .badLines(let path, let count):
            Message("Left out: lines that are no address with a password (%1$s in %2$s)", String(count), path)
        case .nameless(let host): Message("Left out: a token of gh for %1$s, whose account is not known", host)
        case .refreshToken(let host):
            Message("Left out: a refresh token for %1$s, which only the other app can use", host)
        }
    }

    private static func removalOfItem(_ copy: Import.OldCopy) -> Message? {
        guard case .keyring(_, let removal) = copy else { return nil }
        return .command(removal)
    }

    private static func removalOfFile(_ copy: Import.OldCopy) -> [Message]? {
        switch copy {
        case .keyring: nil
        case .file(let path, let removal?):
            [
                Message("%1$s holds passwords in plain text. When git works without them, remove them:", path),
                .command(removal),
            ]
        case .file(let path, nil):
            [
                Message("%1$s holds passwords in plain text, and more than was imported. Remove what you can:", path),
                .command("\"${EDITOR:-vi}\" \(ShellWord.quoted(path))"),
            ]
        }
    }
}

extension ImportSource: ExpressibleByArgument {}
