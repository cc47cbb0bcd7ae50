package import Commands
internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension Switch.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .accounts(let names, let host, let current, let reason):
            [Message("Accounts for %1$s:", host)]
                + zip(1..., names).map { Self.row($0, $1, isDefault: $1 == current) }
                + (reason.map { Self.explanation(current ?? "", $0, isStored: names.contains { $0 == current }) } ?? [])
        case .chosen(let name, let host, let file, let lines):
            [Message("git now uses %1$s for %2$s, unless the remote's URL names another account.", name, host)]
                + [Message("Saved in %1$s.", file)] + Self.parts(lines)
        case .outranked("", let line):
            [
                Message("Another line of git's configuration still sets the account %1$s:", line.value),
                .indented(Message("%1$s (in %2$s)", Message(verbatim: line.key), line.origin)),
            ]
        case .outranked(let name, let line):
            [
                Message(
                    "git does not use %1$s, because a later line of its configuration sets %2$s:", name, line.value),
                .indented(Message("%1$s (in %2$s)", Message(verbatim: line.key), line.origin)),
            ]
        case .unset(let host, let current?, let reason):
            [Message("Removed the default account for %1$s.", host)]
                + (reason.map { Self.explanation(current, $0, isStored: true) } ?? [])
        case .unset(let host, nil, _): [Message("Removed the default account for %1$s.", host)]
        case .kept: [Message("Nothing was changed.")]
        }
    }

    private static func row(_ number: Int, _ name: DisplayText, isDefault: Bool) -> Message {
        let row: DisplayText = "\(isDefault ? "*" : " ") \(number)  \(name)"
        return isDefault ? Message("%1$s  (default)", row) : Message(verbatim: row)
    }

    private static func explanation(
        _ name: DisplayText, _ reason: DefaultAccount.Reason, isStored: Bool
    ) -> [Message] {
        switch reason {
        case .only: [Message("git uses %1$s: it is the only account.", name)]
        case .first: [Message("git uses %1$s unless the remote's URL names another: it was signed in first.", name)]
        case .configured(let line):
            [
                isStored
                    ? Message("git uses %1$s unless the remote's URL names another. It is set here:", name)
                    : Message("git asks for %1$s, which is not signed in. It is set here:", name),
                .indented(Message("%1$s (in %2$s)", Message(verbatim: line.key), line.origin)),
            ]
        }
    }

    private static func parts(_ lines: Switch.Lines) -> [Message] {
        func rows(_ lines: [ConfigurationLine]) -> [Message] {
            lines.map { line in
                .indented(Message("%1$s (in %2$s)", Message(verbatim: "\(line.key) = \(line.value)"), line.origin))
            }
        }
        var messages: [Message] = []
        if !lines.exceptions.isEmpty {
            messages += [Message("These lines set the account for some of its URLs:")] + rows(lines.exceptions)
        }
        if !lines.overridden.isEmpty {
            messages += [Message("These lines no longer have any effect, because a later one overrides them:")]
            messages += rows(lines.overridden)
        }
        return messages
    }
}
