internal import CredentialCore
internal import Helper
internal import Messages
internal import OAuth

/// Who runs us, where locks go, and whether git will find the program.
struct MachineExamination {
    private let dependencies: Dependencies
    private let inspections: Inspections

    init(with dependencies: Dependencies, with inspections: Inspections) {
        self.dependencies = dependencies
        self.inspections = inspections
    }

    /// What is unusual about who and where we are, and where lock files go.
    var diagnoses: [Diagnosis] { user + interaction + [locks] }

    private var user: [Diagnosis] {
        guard inspections.isRoot, let person = dependencies.environment("SUDO_USER"), !person.isEmpty, person != "root"
        else {
            return []
        }
        let name = DisplayText.escaped(Array(person.utf8))
        return [
            Diagnosis(
                .user, .warn,
                Message("running as root for %1$s: root has neither their keyring nor their settings", name),
                [Message("run it without sudo:"), .command("git credential-gitspace doctor")])
        ]
    }

    private var interaction: [Diagnosis] {
        guard let forbids = ContextResolver(with: dependencies).prohibition else { return [] }
        return [
            Diagnosis(
                .interaction, .warn,
                Message("%1$s forbids a sign-in from here; what is stored is used all the same", forbids.setting))
        ]
    }

    private var locks: Diagnosis {
        guard let path = inspections.lockDirectory() else {
            return Diagnosis(.locks, .fail, UserFacingError.lockImpossible.text)
        }
        return Diagnosis(
            .locks, .ok, Message("lock files have a safe place: %1$s", DisplayText.escaped(Array(path.utf8))))
    }

    /// Whether git finds the program, and the program its other half.
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
        let shown = DisplayText.escaped(Array(name.utf8))
        guard let path = inspections.program(name) else {
            let text =
                name.hasPrefix("/")
                ? Message("git's configuration names a program that is not there: %1$s", shown)
                : Message("the program %1$s is not on the PATH, so git does not find it", shown)
            return Diagnosis(
                .program, .fail, text,
                [
                    Message("add its folder to the PATH of whatever runs git, or name it in full:"),
                    .command("git-credential-gitspace configure"),
                ])
        }
        let place = DisplayText.escaped(Array(path.utf8))
        let again = [Message("install it anew, whole:"), .command("make install")]
        guard let output = inspections.programVersion(path) else {
            return Diagnosis(
                .program, .fail, Message("the program %1$s does not run: a part of it is missing", place), again)
        }
        let version = DisplayText.escaped(Array(output.prefix { $0 != UInt8(ascii: "\n") }))
        guard version == "git-credential-gitspace \(inspections.version)" else {
            return Diagnosis(
                .program, .warn,
                Message("git runs another version than this one (%1$s): %2$s", inspections.version, place), again)
        }
        return Diagnosis(.program, .ok, Message("git runs %1$s: %2$s", version, place))
    }
}
