internal import CredentialCore
internal import Helper
internal import Messages

/// Which helpers git asks for each host, and who else gets our tokens: git tells every one of them what worked.
struct HelperExamination {
    private let hosts: [SignInHost]
    private let entries: [OriginatedEntry]?

    init(of hosts: [SignInHost], with inspections: Inspections) {
        self.hosts = hosts
        entries = inspections.gitConfiguration()
    }

    /// The values by which git's configuration names us; a repository's own lines are not for us to try out.
    var ownValues: [String] {
        hosts.flatMap { effective(for: $0) }.filter { $0.isOurs && $0.isTrusted }.map(\.value)
    }

    /// A line or more for each host.
    var diagnoses: [Diagnosis] {
        guard entries != nil else {
            return [
                Diagnosis(
                    .helpers, .fail, Message("git does not tell its configuration"),
                    [Message("see what it says:"), .command("git config --list --show-origin")])
            ]
        }
        return hosts.flatMap(diagnoses)
    }

    private func effective(for host: SignInHost) -> [ConfiguredHelper] {
        HelperChain(entries ?? [], for: host.name).links.map(ConfiguredHelper.init)
    }

    private func diagnoses(_ host: SignInHost) -> [Diagnosis] {
        let effective = effective(for: host)
        guard let own = effective.firstIndex(where: \.isOurs) else {
            return [
                Diagnosis(
                    .helpers, .fail, Message("git does not ask gitspace for %1$s", host.displayName),
                    [Message("set it up:"), .command("git credential-gitspace configure")])
            ] + effective.filter(\.isPlainText).map { other($0, host, isBefore: true) }
        }
        let others = effective.enumerated().filter { !$0.element.isOurs }
        guard others.isEmpty else { return others.map { other($0.element, host, isBefore: $0.offset < own) } }
        let file = effective[own].shownFile
        return [
            Diagnosis(
                .helpers, .ok,
                file.map { Message("git asks gitspace alone for %1$s, as %2$s says", host.displayName, $0) }
                    ?? Message("git asks gitspace alone for %1$s", host.displayName))
        ]
    }

    private func other(_ helper: ConfiguredHelper, _ host: SignInHost, isBefore: Bool) -> Diagnosis {
        let who = helper.shownName.map { Message("the helper %1$s", $0) } ?? Message("a shell command")
        let file = helper.shownFile.map { Message(verbatim: $0) } ?? Message("the command line")
        let text: Message
        if helper.isPlainText {
            text = Message(
                "%1$s writes the tokens of %2$s to a file in plain text; it stands in %3$s", who, host.displayName, file
            )
        } else if isBefore {
            text = Message(
                "%1$s is asked before gitspace for %2$s, and is told its tokens; it stands in %3$s", who,
                host.displayName, file)
        } else {
            text = Message(
                "%1$s comes after gitspace for %2$s, and is told its tokens; it stands in %3$s", who, host.displayName,
                file)
        }
        let removal = helper.removal.map { [Message("take it out:"), Message.command($0)] }
        // What stands before our lines is switched off by an empty one; what follows has to go.
        let configure = [Message("switch it off for this host:"), Message.command("git credential-gitspace configure")]
        let byHand = [Message("take that line out by hand")]
        return Diagnosis(
            .helpers, helper.isPlainText ? .fail : .warn, text, isBefore ? configure : removal ?? byHand)
    }
}
