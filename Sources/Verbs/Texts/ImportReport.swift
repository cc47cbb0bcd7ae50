internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension Import.Report: ReportText {
    package var lines: [Message] {
        var lines = accounts.map { $0.line(isDryRun: isDryRun) }
        if accounts.isEmpty { lines.append(Message("Nothing to import.")) }
        lines += leftOut.map(\.line)
        let files = oldCopies.compactMap(\.inFile)
        let items = oldCopies.compactMap(\.inKeyring)
        let isInMemory = storage == .memory && accounts.contains { $0.outcome == .imported }
        if isInMemory, !isDryRun { lines.append(Message.kept(in: .memory)) }
        guard !isDryRun, !files.isEmpty || !items.isEmpty else { return lines }
        lines.append(Message("The original copies were not removed."))
        // They last, unlike what is in memory.
        guard storage != .memory else { return lines }
        if !items.isEmpty {
            lines.append(
                Message("The other tools keep their own copies. If you no longer use one of them, sign it out:"))
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
        case .imported where isVerified == false:
            Message("%1$s: imported, but could not be verified with the host", what)
        case .imported: Message("%1$s: imported", what)
        case .alreadyThere: Message("%1$s: already stored", what)
        case .storedRejected: Message("%1$s: already stored, but the host rejected this token", what)
        case .busy: Message("%1$s: not imported, because another sign-in or refresh has not finished", what)
        case .lockImpossible: Message("%1$s: not imported, because there is no safe folder for lock files", what)
        case .kept: Message("%1$s: not imported, because a different one is stored for this account", what)
        case .unstorable: Message("%1$s: not imported, because git could not use it", what)
        case .rejected: Message("%1$s: not imported, because the host rejected this token", what)
        case .otherAccount(let owner): Message("%1$s: not imported, because this token belongs to %2$s", what, owner)
        case .failed: Message("%1$s: not imported, because the keyring did not save it", what)
        }
    }
}

extension ImportLeftOut {
    fileprivate var line: Message {
        switch self {
        case .unreadableFile(let path): Message("Skipped: %1$s cannot be read", DisplayText(own: path))
        case .badLines(let path, let count):
            Message(
                "Skipped: lines that are not URLs with a password (%1$s in %2$s)", count, DisplayText(own: path))
        case .nameless(let host): Message("Skipped: a token of gh for %1$s, because its account is unknown", host)
        case .refreshToken(let host):
            Message("Skipped: a refresh token for %1$s, because only the other app can use it", host)
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
                    "%1$s contains a token of gh in plain text. If you no longer use gh, sign it out:",
                    DisplayText(own: path)),
                .command(ImportRemoval.ghLogout(user: user, host: host).command(file: path)),
            ]
        case .file(let path, let removal?):
            [
                Message(
                    "%1$s contains passwords in plain text. Once git works without them, delete them:",
                    DisplayText(own: path)),
                .command(removal.command(file: path)),
            ]
        case .file(let path, nil):
            [
                Message(
                    "%1$s contains passwords in plain text, including some that were not imported. Delete what you no longer need:",
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
