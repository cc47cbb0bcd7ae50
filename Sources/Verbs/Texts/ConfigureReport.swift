internal import CredentialCore
internal import Helper
internal import Language
package import Messages

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
