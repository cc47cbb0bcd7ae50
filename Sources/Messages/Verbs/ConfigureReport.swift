package import Commands
internal import CredentialCore

extension Configure.Report: ReportText {
    package var lines: [Message] {
        var lines = added.isEmpty ? [Message("Nothing to do: git asks gitspace for %1$s.", hostNames)] : addition
        if !stillAsked.isEmpty {
            lines.append(Message("These helpers stand behind it. git asks them as well, and gives them the token:"))
            lines += stillAsked.map(\.line)
        }
        if !added.isEmpty, !isDryRun {
            lines += [
                Message("To undo it:"),
                .command(
                    scope == .system
                        ? "git credential-gitspace unconfigure --system" : "git credential-gitspace unconfigure"),
            ]
        }
        if lacksClientID {
            lines += [
                Message("One thing is missing, an OAuth client ID. To get one:"),
                .command("git credential-gitspace register"),
            ]
        }
        return lines
    }

    private var hostNames: DisplayText { hosts.map { DisplayText(own: $0) }.joined(separator: ", ") }

    private var addition: [Message] {
        let file = DisplayText(own: file)
        var messages = [isDryRun ? Message("Would add to %1$s:", file) : Message("Added to %1$s:", file)]
        messages += added.map { .configurationLine($0) }
        guard !switchedOff.isEmpty else { return messages }
        messages.append(
            isDryRun
                ? Message("For these hosts git would no longer ask:") : Message("For these hosts git no longer asks:"))
        return messages + switchedOff.map(\.line)
    }
}

extension OtherHelper {
    fileprivate var line: Message {
        .indented(
            Message("%1$s (in %2$s)", name.map { Message(verbatim: $0) } ?? Message("a command of the shell"), origin))
    }
}

extension Unconfigure.Report: ReportText {
    package var lines: [Message] {
        let file = DisplayText(own: file)
        var lines: [Message] = []
        if removed.isEmpty {
            lines.append(Message("Nothing to do: no line of configure's is in %1$s.", file))
        } else {
            lines.append(isDryRun ? Message("Would remove from %1$s:", file) : Message("Removed from %1$s:", file))
            lines += removed.map { .configurationLine($0.hasPrefix("[") ? $0 : "\t\($0)") }
        }
        guard !leftovers.isEmpty else { return lines }
        lines.append(Message("git still asks gitspace, by lines that somebody has written. To remove them as well:"))
        return lines
            + leftovers.map {
                .command(
                    "git config --file \(word: $0.file) --fixed-value --unset-all \(word: $0.key) \(word: $0.value)")
            }
    }
}

extension Message {
    /// A line of a file, below the file's name, with its tab.
    fileprivate static func configurationLine(_ line: String) -> Message {
        let text = DisplayText(own: String(line.drop { $0 == "\t" }))
        return Message(verbatim: line.hasPrefix("\t") ? "  \t\(text)" : "  \(text)")
    }
}
