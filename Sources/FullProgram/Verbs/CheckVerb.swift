internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers
internal import System
internal import UserInterface

/// The verb `check URL [--json]`.
struct CheckVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask whether you can reach a repository, and if not, why.",
        discussion: """
            The address is understood as people paste it: from a browser, from "git remote -v", or OWNER/NAME for \
            github.com. Exits with 1 if the repository cannot be read. Never starts a sign-in.
            """)

    @Argument(help: "The repository.")
    var url: String

    @Flag(help: "Print an object for programs.")
    var json = false

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        // Gists have neither an owner in their address nor members: there is nothing to explain.
        guard let address = RepositoryAddress(url), address.host != HostName(name: "gist.github.com") else {
            return regret(.notARepository)
        }
        let dependencies = CompositionRoot(streams, signals, for: address.host).dependencies
        let finding = Check(with: dependencies).finding(address)
        // Half a check has found nothing that could be relied on.
        if signals.look() { return Login.End.cancelled.rawValue }
        if json {
            _ = streams.send(Self.json(finding) + "\n")
        } else if finding.canRead {
            say(Self.lines(finding), on: streams)
        } else {
            ErrorOutput.write(finding.text, finding.hints)
        }
        return finding.canRead ? Login.End.done.rawValue : Login.End.failed.rawValue
    }

    private static func lines(_ finding: Finding) -> [Message] {
        guard let rights = finding.rights else { return [] }
        let workflows = rights.canPush ? rights.mayChangeWorkflows : false
        let isSignedIn = finding.result == .reachable
        return [
            isSignedIn
                ? Message("%1$s on %2$s, as %3$s", finding.repository, finding.host, finding.account ?? "")
                : Message("%1$s on %2$s, without signing in", finding.repository, finding.host),
            .indented(Message("Read: yes")),
            .indented(rights.canPush ? Message("Push: yes") : Message("Push: no")),
            .indented(
                workflows.map { $0 ? Message("Change workflow files: yes") : Message("Change workflow files: no") }
                    ?? Message("Change workflow files: not known")),
        ] + finding.hints.map(Message.indented)
    }

    private static func json(_ finding: Finding) -> String {
        let rights = finding.rights
        return JSONText.object([
            ("host", JSONText.string(finding.host)), ("repository", JSONText.string(finding.repository)),
            ("account", finding.account.map(JSONText.string)), ("result", JSONText.string(finding.result.rawValue)),
            ("read", String(finding.canRead)), ("push", String(rights?.canPush ?? false)),
            ("workflow", rights.map { $0.canPush ? $0.mayChangeWorkflows.map { String($0) } : "false" } ?? "false"),
            ("page", finding.page.map(JSONText.string)), ("other_account", finding.otherAccount.map(JSONText.string)),
            ("text", JSONText.string(finding.text.english)),
            ("hints", JSONText.strings(finding.hints.map(\.english))),
        ])
    }
}
