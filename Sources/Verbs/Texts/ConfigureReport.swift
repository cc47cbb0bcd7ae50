internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension Configure.Report: ReportText {
    package var lines: [Message] {
        var lines = hasNoChange ? [Message("Nothing to do: git already uses gitspace for %1$s.", hostNames)] : addition
        if !stillAsked.isEmpty {
            lines.append(Message("git also runs these helpers afterwards, and they receive the token:"))
            lines += stillAsked.map(\.line)
        }
        lines += proactive.lines(file, isDryRun: isDryRun)
        if !hasNoChange, !isDryRun {
            lines += [
                Message("To undo this:"),
                .command(
                    scope == .system
                        ? "git credential-gitspace unconfigure --system" : "git credential-gitspace unconfigure"),
            ]
        }
        if lacksClientID {
            lines += [
                Message("Before you can sign in, you need an OAuth client ID or a personal access token. To continue:"),
                .command("git credential-gitspace setup"),
            ]
        } else if !added.isEmpty, !isDryRun, scope == .global {
            lines += [Message("To sign in now:"), .command("git credential-gitspace setup")]
        }
        return lines
    }

    private var hasNoChange: Bool { added.isEmpty && changed.isEmpty }

    private var hostNames: DisplayText { hosts.map { DisplayText(own: $0) }.joined(separator: ", ") }

    private var addition: [Message] {
        let file = DisplayText(own: file)
        var messages: [Message] = []
        if !changed.isEmpty {
            messages.append(isDryRun ? Message("Would change in %1$s:", file) : Message("Changed in %1$s:", file))
            messages += changed.map { .configurationLine($0) }
        }
        if !added.isEmpty {
            messages.append(isDryRun ? Message("Would add to %1$s:", file) : Message("Added to %1$s:", file))
            messages += added.map { .configurationLine($0) }
        }
        guard !switchedOff.isEmpty else { return messages }
        messages.append(
            isDryRun
                ? Message("For these hosts, git would no longer use:") : Message("For these hosts, git no longer uses:")
        )
        return messages + switchedOff.map(\.line)
    }
}

extension Configure.Proactive {
    fileprivate func lines(_ file: String, isDryRun: Bool) -> [Message] {
        switch self {
        // The second is an error, with its own text.
        case .unasked, .nobodySignedIn: []
        case .gitTooOld(nil): [Message("--proactive needs git 2.46 or newer. Nothing was set.")]
        case .gitTooOld(let version?):
            [Message("--proactive needs git 2.46 or newer, and this is git %1$s. Nothing was set.", version)]
        case .on(let hosts, let added):
            (added.isEmpty
                ? []
                : [
                    isDryRun
                        ? Message("Would add to %1$s:", DisplayText(own: file))
                        : Message("Added to %1$s:", DisplayText(own: file))
                ] + added.map { .configurationLine($0) })
                + [
                    Message(
                        "git sends your token with its first request to %1$s, also for public repositories.",
                        hosts.joined(separator: ", ")),
                    Message("It stops when the last account signs out. To stop it now:"),
                    .command("git credential-gitspace unconfigure"),
                ]
        }
    }
}

extension OtherHelper {
    var line: Message { .indented(Message("%1$s (in %2$s)", name, origin)) }
}

extension Unconfigure.Report: ReportText {
    package var lines: [Message] {
        let file = DisplayText(own: file)
        var lines: [Message] = []
        if removed.isEmpty {
            lines.append(Message("Nothing to do: configure has not added anything to %1$s.", file))
        } else {
            lines.append(isDryRun ? Message("Would remove from %1$s:", file) : Message("Removed from %1$s:", file))
            lines += removed.map { .configurationLine($0.hasPrefix("[") ? $0 : "\t\($0)") }
        }
        if !leftovers.isEmpty {
            lines.append(Message("git still uses gitspace because of lines you wrote by hand. To remove them as well:"))
            lines += leftovers.map(\.removal)
        }
        if let otherFile {
            lines += [
                Message(
                    "git still uses gitspace because of what configure has added to %1$s. To remove it as well:",
                    DisplayText(own: otherFile.path)),
                .command(
                    otherFile.scope == .system
                        ? "git credential-gitspace unconfigure --system" : "git credential-gitspace unconfigure"),
            ]
        }
        if !usernames.isEmpty {
            lines.append(Message("The default account stays in git's configuration. To remove it as well:"))
            lines += usernames.map(\.removal)
        }
        if !clientIDs.isEmpty {
            lines.append(Message("The OAuth client ID stays in git's configuration. To remove it as well:"))
            lines += clientIDs.map(\.removal)
        }
        if !signedIn.isEmpty {
            lines.append(Message("Your tokens stay in the keyring. To remove them as well:"))
            lines += signedIn.map { .command("git credential-gitspace logout \(word: $0) --all") }
        }
        return lines
    }
}

extension Unconfigure.Leftover {
    fileprivate var removal: Message {
        .command("git config --file \(word: file) --fixed-value --unset-all \(word: key) \(word: value)")
    }
}

extension LastLogout.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .loggedOut(let report): report.lines
        case .proactiveTakenBack(let host):
            [Message("git no longer sends a token with its first request to %1$s.", host)]
        case .defaultStays(let account, let line, let host, let hasOthers):
            [
                Message("git still asks for %1$s, which is no longer signed in. It is set here:", account),
                .indented(Message("%1$s (in %2$s)", Message(verbatim: line.key), line.origin)),
                hasOthers ? Message("To choose another account:") : Message("To remove it as well:"),
                .command("git credential-gitspace switch \(word: host)\(hasOthers ? "" : " --unset" as DisplayText)"),
            ]
        }
    }

    package var failure: ErrorText? {
        guard case .loggedOut(let report) = self else { return nil }
        return report.failure
    }
}

extension Message {
    /// A line of a file, below the file's name, with its tab.
    fileprivate static func configurationLine(_ line: String) -> Message {
        let text = DisplayText(own: String(line.drop { $0 == "\t" }))
        return Message(verbatim: line.hasPrefix("\t") ? "  \t\(text)" : "  \(text)")
    }
}
