package import Commands
internal import CredentialCore

extension Import.Report: ReportText {
    package var lines: [Message] {
        var lines = accounts.map { $0.line(isDryRun: isDryRun) }
        if accounts.isEmpty { lines.append(Message("Nothing was found to import.")) }
        lines += leftOut.map(\.line)
        let files = oldCopies.compactMap(\.inFile)
        let items = oldCopies.compactMap(\.inKeyring)
        guard !isDryRun, !files.isEmpty || !items.isEmpty else { return lines }
        lines.append(Message("Nothing was removed: the old copies are where they were."))
        if !items.isEmpty {
            lines.append(
                Message("The other tools go on working with theirs. If you no longer use one of them, sign it out:"))
            lines += items
        }
        return lines + files.joined()
    }
}

extension Import.Account {
    fileprivate func line(isDryRun: Bool) -> Message {
        let what: DisplayText = "\(place)  \(username)  \(masked)  (\(DisplayText(own: source.rawValue)))"
        return switch outcome {
        case .imported where isDryRun: Message("%1$s: would be imported", what)
        case .imported where isVerified == false: Message("%1$s: imported, but the host could not be asked", what)
        case .imported: Message("%1$s: imported", what)
        case .alreadyThere: Message("%1$s: already there", what)
        case .kept: Message("%1$s: not imported, another one is stored for this account", what)
        case .unstorable: Message("%1$s: not imported, git could not ask for it", what)
        case .rejected: Message("%1$s: not imported, the host rejects this token", what)
        case .failed: Message("%1$s: the keyring did not save it", what)
        }
    }
}

extension ImportLeftOut {
    fileprivate var line: Message {
        switch self {
        case .unreadableFile(let path): Message("Left out: %1$s cannot be read", DisplayText(own: path))
        case .badLines(let path, let count):
            Message(
                "Left out: lines that are no address with a password (%1$s in %2$s)", count, DisplayText(own: path))
        case .nameless(let host): Message("Left out: a token of gh for %1$s, whose account is not known", host)
        case .refreshToken(let host):
            Message("Left out: a refresh token for %1$s, which only the other app can use", host)
        }
    }
}

extension Import.OldCopy {
    fileprivate var inKeyring: Message? {
        guard case .keyring(_, let removal) = self else { return nil }
        return .command(removal.command(file: ""))
    }

    fileprivate var inFile: [Message]? {
        switch self {
        case .keyring: nil
        case .file(let path, .some(.ghLogout(let user, let host))):
            [
                Message(
                    "%1$s holds a token in plain text, for gh. If you no longer use gh, sign it out:",
                    DisplayText(own: path)),
                .command(ImportRemoval.ghLogout(user: user, host: host).command(file: path)),
            ]
        case .file(let path, let removal?):
            [
                Message(
                    "%1$s holds passwords in plain text. When git works without them, remove them:",
                    DisplayText(own: path)),
                .command(removal.command(file: path)),
            ]
        case .file(let path, nil):
            [
                Message(
                    "%1$s holds passwords in plain text, and more than was imported. Remove what you can:",
                    DisplayText(own: path)),
                .command("\"${EDITOR:-vi}\" \(word: path)"),
            ]
        }
    }
}

extension ImportRemoval {
    /// The command that removes a copy.
    fileprivate func command(file: String) -> DisplayText {
        switch self {
        case .ghLogout(let user, let host): "gh auth logout --hostname \(word: host) --user \(word: user)"
        case .secretTool(let service, let account):
            "secret-tool clear service \(word: service) account \(word: account)"
        case .wholeFile: "rm \(word: file)"
        }
    }
}
