internal import CredentialCore
internal import Helper

struct MachineExamination {
    let dependencies: Dependencies
    let inspections: Inspections

    var diagnoses: [Diagnosis] { [user, interaction].compactMap(\.self) + [locks, landlock] }

    private var user: Diagnosis? {
        guard inspections.isRoot, let person = dependencies.environment("SUDO_USER"), !person.isEmpty, person != "root"
        else { return nil }
        return Diagnosis(
            .user, .warn,
            Message(
                "running as root on behalf of %1$s: root cannot use that user's keyring or settings",
                DisplayText(untrusted: person.utf8)),
            [Message("run it without sudo:"), .command("git credential-gitspace doctor")])
    }

    private var interaction: Diagnosis? {
        guard let forbids = ContextResolver(with: dependencies).knownProhibition else { return nil }
        return Diagnosis(
            .interaction, .warn,
            Message("sign-in is off because %1$s is set; stored credentials still work", forbids.setting))
    }

    private var locks: Diagnosis {
        guard let path = inspections.lockDirectory() else { return Diagnosis(.locks, .fail, .lockImpossible) }
        do throws(LockError) {
            try dependencies.locks.acquire(.trial, within: 0, whileWaiting: { false }).release()
        } catch {
            if error.isForGood { return Diagnosis(.locks, .fail, .noLock(error)) }
        }
        return Diagnosis(.locks, .ok, Message("lock files are kept in %1$s", DisplayText(untrusted: path.utf8)))
    }

    /// The kernel's means to confine the processes of shares.
    private var landlock: Diagnosis {
        guard let version = inspections.landlock else {
            return Diagnosis(
                .landlock, .skip, Message("the kernel has no Landlock, with which \"share\" confines its connections"))
        }
        return Diagnosis(.landlock, .ok, Message("\"share\" confines its connections by Landlock, ABI %1$s", version))
    }

    /// Checks whether git finds the program, and the program the full one.
    ///
    /// `values` are those by which git's configuration names us, if any; there is a finding for each program.
    func programs(configuredAs values: [String]) -> [Diagnosis] {
        let name = "git-credential-gitspace"
        // `gitspace`, with or without options, is searched on the PATH, and so is a shell command's program.
        let wanted = values.map { value in
            HelperCommand.path(in: value) ?? (value.hasPrefix("/") ? String(value.prefix { $0 != " " }) : name)
        }
        return (wanted.isEmpty ? [name] : wanted).unique.map { program(named: $0) }
    }

    private func program(named name: String) -> Diagnosis {
        let shown = DisplayText(untrusted: name.utf8)
        guard let path = inspections.program(name) else {
            let (text, hints) =
                name.hasPrefix("/")
                ? (
                    Message("git is configured to run a program that does not exist: %1$s", shown),
                    [Message("update the path:"), .command("git credential-gitspace configure")]
                )
                : (
                    Message("%1$s is not on the PATH, so git cannot find it", shown),
                    [Message("have git call it by its full path:"), .command("git-credential-gitspace configure")]
                )
            return Diagnosis(.program, .fail, text, hints)
        }
        let place = DisplayText(untrusted: path.utf8)
        let again = [Message("reinstall gitspace:"), Message.command("make install")]
        guard let output = inspections.programVersion(path) else {
            return Diagnosis(
                .program, .fail, Message("%1$s cannot run: part of the installation is missing", place), again)
        }
        let version = DisplayText(untrusted: output.prefix { $0 != UInt8(ascii: "\n") })
        let ours = DisplayText(trusted: inspections.version)
        guard version == "git-credential-gitspace \(ours)" else {
            return Diagnosis(
                .program, .warn, Message("git runs a different version than this one (%1$s): %2$s", ours, place), again)
        }
        return Diagnosis(.program, .ok, Message("git runs %1$s: %2$s", version, place))
    }
}
