internal import CredentialCore
internal import Helper

/// git's version, and what it does not support yet.
struct GitExamination {
    private let inspections: Inspections

    init(with inspections: Inspections) { self.inspections = inspections }

    /// When git added what (git's release notes), by the names in gitcredentials(7).
    private static let lessons: [Diagnosis.Git.Lesson] = [
        .init(name: "password_expiry_utc", minor: 40), .init(name: "oauth_refresh_token", minor: 41),
        .init(name: "state[]", minor: 46),
    ]

    /// git's version, and what it lacks, none of which is essential.
    ///
    /// - Parameter fault: why git's configuration cannot be read, if it cannot: then no git command works.
    /// - Returns: a line.
    func version(_ fault: ConfigurationError?) -> Diagnosis {
        guard let release = inspections.gitVersion().flatMap(GitRelease.init) else {
            guard fault == nil || fault == .noGit else { return Diagnosis(.git, .skip, .git(.versionNotAsked)) }
            return Diagnosis(.git, .fail, .git(.noVersion))
        }
        let missing = Self.lessons.filter { !release.knows(minor: $0.minor) }
        guard !missing.isEmpty else {
            return Diagnosis(.git, .ok, .git(.complete(version: release.shown)))
        }
        return Diagnosis(.git, .warn, .git(.lacking(missing, version: release.shown)))
    }

    /// Whether git sends the token with its first request where it could, and nowhere else: a line for all hosts, and
    /// one for each where nobody is signed in any longer.
    ///
    /// - Parameter isSignedIn: the hosts for which that is known.
    /// - Returns: a line for each thing to report.
    func proactive(_ isSignedIn: [(host: SignInHost, answer: Bool)]) -> [Diagnosis] {
        guard let release = inspections.gitVersion().flatMap(GitRelease.init), release.knowsProactiveAuthentication,
            let entries = inspections.gitConfiguration()
        else { return [] }
        let isOn = { (host: SignInHost) in ProactiveAuthentication.isOn(for: host.name, entries) }
        let forNobody = isSignedIn.filter { !$0.answer && isOn($0.host) }.map { host, _ in
            Diagnosis(.git, .warn, .git(.proactiveForNobody(host: host.displayName)))
        }
        let signedIn = isSignedIn.filter(\.answer).map(\.host)
        guard !signedIn.isEmpty else { return forNobody }
        let off = signedIn.filter { !isOn($0) }
        let finding =
            off.isEmpty
            ? Diagnosis.Git.proactive(hosts: signedIn.map(\.displayName))
            : .notProactive(hosts: off.map(\.displayName))
        return forNobody + [Diagnosis(.git, .ok, .git(finding))]
    }

    /// The person's own lines that name a provider, a secret or an endpoint without naming its host.
    ///
    /// A provider name that we do not know belongs to another program.
    var linesWithoutHost: [Diagnosis] {
        var found: [Diagnosis] = []
        for line in inspections.gitConfiguration() ?? [] where isHostKey(line.entry) && line.isInPersonsFile {
            let entry = line.entry
            let pattern = entry.subsection.flatMap { URLPattern($0) }
            guard pattern?.hasConcreteHost != true, let value = entry.value, !value.isEmpty,
                entry.key != "provider" || ProviderID(rawValue: value.lowercased()) != nil
            else { continue }
            let key = [entry.section, entry.subsection, entry.key].compactMap(\.self).joined(separator: ".")
            let finding = Diagnosis.Configuration.withoutHost(
                key: DisplayText(key.utf8), file: DisplayText(line.origin.utf8))
            let diagnosis = Diagnosis(.configuration, .warn, .configuration(finding))
            if !found.contains(diagnosis) { found.append(diagnosis) }
        }
        return found
    }

    private func isHostKey(_ entry: ConfigurationEntry) -> Bool {
        entry.section == "credential" && SignInSettings.hostKeys.contains(entry.key)
    }
}
