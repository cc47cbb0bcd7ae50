internal import CredentialCore
internal import Helper
internal import Providers

/// Who runs us, where locks go, and whether git will find the program.
struct MachineExamination {
    private let dependencies: Dependencies
    private let inspections: Inspections

    init(with dependencies: Dependencies, with inspections: Inspections) {
        self.dependencies = dependencies
        self.inspections = inspections
    }

    /// What is unusual about the user and settings, and where lock files go.
    var diagnoses: [Diagnosis] { user + interaction + [locks] }

    private var user: [Diagnosis] {
        guard inspections.isRoot, let person = dependencies.environment("SUDO_USER"), !person.isEmpty, person != "root"
        else {
            return []
        }
        return [Diagnosis(.user, .warn, .machine(.rootForSomebodyElse(DisplayText(person.utf8))))]
    }

    private var interaction: [Diagnosis] {
        guard let forbids = try? ContextResolver(with: dependencies).prohibition else { return [] }
        return [Diagnosis(.interaction, .warn, .machine(.signInForbidden(by: forbids.setting)))]
    }

    private var locks: Diagnosis {
        guard let path = inspections.lockDirectory() else {
            return Diagnosis(.locks, .fail, .machine(.noPlaceForLocks))
        }
        return Diagnosis(.locks, .ok, .machine(.locksAt(DisplayText(path.utf8))))
    }

    /// Whether git finds the program, and that finds the full program.
    ///
    /// - Parameter values: the values by which git's configuration names us; none if it does not.
    /// - Returns: a line for each program that they lead to.
    func program(configuredAs values: [String]) -> [Diagnosis] {
        let name = "git-credential-gitspace"
        // `gitspace`, with or without options, is looked for on the PATH; so is what a shell command may run.
        let wanted = values.map { value in
            HelperCommand.path(in: value) ?? (value.hasPrefix("/") ? String(value.prefix { $0 != " " }) : name)
        }
        var seen: [String] = []
        for program in wanted.isEmpty ? [name] : wanted where !seen.contains(program) { seen.append(program) }
        return seen.map { program(named: $0) }
    }

    private func program(named name: String) -> Diagnosis {
        let shown = DisplayText(name.utf8)
        guard let path = inspections.program(name) else {
            return Diagnosis(
                .program, .fail,
                .machine(name.hasPrefix("/") ? .programAbsent(shown) : .programNotOnPath(shown)))
        }
        let place = DisplayText(path.utf8)
        guard let output = inspections.programVersion(path) else {
            return Diagnosis(.program, .fail, .machine(.programBroken(place)))
        }
        let version = DisplayText(output.prefix { $0 != UInt8(ascii: "\n") })
        let ours = DisplayText(own: inspections.version)
        guard version == "git-credential-gitspace \(ours)" else {
            return Diagnosis(.program, .warn, .machine(.programOfAnotherVersion(place, ours: ours)))
        }
        return Diagnosis(.program, .ok, .machine(.program(place, version: version)))
    }
}
