internal import CredentialCore
internal import Helper

/// Which git it is, and what it does not know yet.
struct GitExamination {
    private let inspections: Inspections

    init(with inspections: Inspections) { self.inspections = inspections }

    /// What git learnt when (git's release notes), by the names of gitcredentials(7).
    private static let lessons: [Diagnosis.Git.Lesson] = [
        .init(name: "password_expiry_utc", minor: 40), .init(name: "oauth_refresh_token", minor: 41),
        .init(name: "state[]", minor: 46),
    ]

    /// git's version, and what it lacks: nothing that it could not do without.
    var version: Diagnosis {
        guard let numbers = inspections.gitVersion().flatMap(Self.numbers) else {
            return Diagnosis(.git, .fail, .git(.noVersion))
        }
        let version: DisplayText = "\(numbers.major).\(numbers.minor)"
        let missing = Self.lessons.filter { (numbers.major, numbers.minor) < (2, $0.minor) }
        guard !missing.isEmpty else {
            return Diagnosis(.git, .ok, .git(.complete(version: version)))
        }
        return Diagnosis(.git, .warn, .git(.lacking(missing, version: version)))
    }

    /// The lines of the person's own that name a provider, a secret or an endpoint without the host that is meant.
    ///
    /// A word for a provider that is none of ours is another program's.
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

    /// Reads `git version 2.39.5 (Apple Git-154)`.
    private static func numbers(_ output: [UInt8]) -> (major: Int64, minor: Int64)? {
        let prefix = Array("git version ".utf8)
        guard output.starts(with: prefix) else { return nil }
        let parts = output.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
            .split(separator: UInt8(ascii: "."))
        guard parts.count >= 2, let major = DecimalNumber.parse(parts[0]), let minor = DecimalNumber.parse(parts[1])
        else { return nil }
        return (major, minor)
    }
}
