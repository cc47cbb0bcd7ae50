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
        hosts.flatMap { helpers(of: $0).all }.filter { $0.isOurs && $0.isTrusted }.map(\.value)
    }

    /// A line or more for each host.
    var diagnoses: [Diagnosis] {
        guard entries != nil else { return [Diagnosis(.helpers, .fail, .helpers(.configurationUnreadable))] }
        return hosts.flatMap(diagnoses)
    }

    private func helpers(of host: SignInHost) -> CredentialHelpers { CredentialHelpers(entries ?? [], for: host.name) }

    private func diagnoses(_ host: SignInHost) -> [Diagnosis] {
        let helpers = helpers(of: host)
        let others = helpers.others
        guard !others.isEmpty else {
            guard let own = helpers.own else {
                return [Diagnosis(.helpers, .fail, .helpers(.notAsked(host: host.displayName)))]
            }
            return [Diagnosis(.helpers, .ok, .helpers(.askedAlone(host: host.displayName, file: own.file)))]
        }
        // One in our place is reported as that first: `gh auth setup-git` replaces lines that name us.
        let replacements = others.filter { $0.position == .instead }.map {
            Diagnosis(.helpers, .fail, .helpers(.other($0)))
        }
        return replacements
            + others.filter { $0.position != .instead || $0.helper.isPlainText }.map {
                $0.helper.isPlainText
                    ? Diagnosis(.helpers, .fail, .helpers(.plainText($0)))
                    : Diagnosis(.helpers, .warn, .helpers(.other($0)))
            }
    }
}
