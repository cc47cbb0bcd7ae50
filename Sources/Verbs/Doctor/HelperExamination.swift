internal import CredentialCore
internal import Helper

/// Which helpers git asks for each host, and which others get our tokens: git sends all of them what worked.
struct HelperExamination {
    private let hosts: [SignInHost]
    private let entries: [OriginatedEntry]?

    init(of hosts: [SignInHost], with inspections: Inspections) {
        self.hosts = hosts
        entries = inspections.gitConfiguration()
    }

    /// The values by which git's configuration names us; we do not run a repository's own lines.
    var ownValues: [String] {
        hosts.flatMap { effective(for: $0) }.filter { $0.isOurs && $0.isTrusted }.map(\.value)
    }

    /// A line or more for each host.
    var diagnoses: [Diagnosis] {
        guard entries != nil else { return [Diagnosis(.helpers, .fail, .helpers(.configurationUnreadable))] }
        return hosts.flatMap(diagnoses)
    }

    private func effective(for host: SignInHost) -> [ConfiguredHelper] {
        HelperChain(entries ?? [], for: host.name).links.map(ConfiguredHelper.init)
    }

    private func diagnoses(_ host: SignInHost) -> [Diagnosis] {
        let effective = effective(for: host)
        guard let own = effective.firstIndex(where: \.isOurs) else {
            // Reports which helper replaced us: `gh auth setup-git` replaces lines that name us.
            guard !effective.isEmpty else {
                return [Diagnosis(.helpers, .fail, .helpers(.notAsked(host: host.displayName)))]
            }
            return effective.map { other($0, host, .instead) }
                + effective.filter(\.isPlainText).map { other($0, host, .before) }
        }
        let others = effective.enumerated().filter { !$0.element.isOurs }
        guard others.isEmpty else {
            return others.map { other($0.element, host, $0.offset < own ? .before : .after) }
        }
        return [
            Diagnosis(
                .helpers, .ok, .helpers(.askedAlone(host: host.displayName, file: effective[own].shownFile)))
        ]
    }

    private func other(
        _ helper: ConfiguredHelper, _ host: SignInHost, _ position: Diagnosis.OtherHelperLine.Position
    ) -> Diagnosis {
        let line = Diagnosis.OtherHelperLine(
            host: host.displayName, name: helper.shownName, file: helper.shownFile, isPlainText: helper.isPlainText,
            position: position, removal: helper.removal)
        let isFault = helper.isPlainText || position == .instead
        return Diagnosis(.helpers, isFault ? .fail : .warn, .helpers(.other(line)))
    }
}
