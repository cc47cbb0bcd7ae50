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
                .unconfigure(scope),
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
    static func configurationLine(_ line: String) -> Message {
        let text = DisplayText(own: String(line.drop { $0 == "\t" }))
        return Message(verbatim: line.hasPrefix("\t") ? "  \t\(text)" : "  \(text)")
    }
}
