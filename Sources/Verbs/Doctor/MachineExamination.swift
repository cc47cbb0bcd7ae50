internal import CredentialCore
internal import Helper

struct MachineExamination {
    let dependencies: Dependencies
    let inspections: any Inspections

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
        guard let path = inspections.lockDirectory else { return Diagnosis(.locks, .fail, .lockImpossible) }
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
            let isPath = name.hasPrefix("/")
            return Diagnosis(
                .program, .fail,
                isPath
                    ? Message("git is configured to run a program that does not exist: %1$s", shown)
                    : Message("%1$s is not on the PATH, so git cannot find it", shown),
                isPath
                    ? [Message("update the path:"), .command("git credential-gitspace configure")]
                    : [Message("have git call it by its full path:"), .command("git-credential-gitspace configure")])
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
                .program, .warn, Message("git finds %1$s, and this is %2$s: %3$s", version, ours, place), again)
        }
        return Diagnosis(.program, .ok, Message("git finds %1$s: %2$s", version, place))
    }

    // MARK: The keyring

    /// The store in which the accounts can be looked up.
    enum AccountStore: Equatable {
        case keyring
        /// git's in-memory cache, and whether no keyring can have other accounts.
        case memory(isAll: Bool)
        /// No store can be read without a prompt.
        case unreadable
    }

    func examineKeyring(_ tell: (Diagnosis) -> Void) -> AccountStore {
        let settings = try? ContextResolver(with: dependencies).generalSettings
        guard settings?.store != .cache else {
            tell(
                Diagnosis(.bus, .skip, Message("the keyring is not used: %1$s is cache", SettingKey.gitspaceStore.name))
            )
            return .memory(isAll: true)
        }
        let keyring = inspections.inspection
        var step = Diagnosis.Check.bus
        var notTried = [
            Diagnosis(.provider, .skip, Message("did not check which program provides the keyring")),
            Diagnosis(.collection, .skip, Message("did not check whether the keyring is unlocked")),
            Diagnosis(.roundTrip, .skip, Message("did not test writing to the keyring")),
        ]
        do throws(KeyringError) {
            try keyring.checkBus()
            tell(bus)
            step = notTried.removeFirst().check
            let name = try keyring.provider().map { DisplayText(trusted: $0) }
            tell(
                Diagnosis(
                    step, .ok,
                    name.map { Message("the keyring is provided by %1$s", $0) } ?? Message("a keyring is available")))
            step = notTried.removeFirst().check
            guard try keyring.locked(.forNewItems).isEmpty else {
                // A prompt that can be shown unlocks the keyring when it is first needed.
                tell(
                    inspections.canPrompt
                        ? Diagnosis(
                            step, .warn, Message("the keyring is locked; it will ask for its password when needed"))
                        : Diagnosis(step, .fail, words(.locked)))
                tell(Diagnosis(.roundTrip, .skip, Message("did not test writing to the keyring, because it is locked")))
                return .unreadable
            }
            // Other collections than that for new items may be locked.
            let others = try keyring.locked(.all)
            if others.isEmpty { tell(Diagnosis(step, .ok, Message("the keyring is unlocked"))) }
            for other in others {
                let text =
                    other.name.map { Message("the keyring \"%1$s\" is locked; accounts in it cannot be used", $0) }
                    ?? Message("another keyring is locked; accounts in it cannot be used")
                tell(Diagnosis(step, .warn, text, words(.locked).hints))
            }
        } catch {
            // Where no keyring can run, another machine's sign-in can be shared instead.
            let isInContainer = dependencies.isInContainer()
            let sharing = isInContainer ? error.shareIntoContainer : []
            // git works with memory alone, although a keyring would be better.
            func doesMemoryServe() -> Bool {
                settings?.store == .auto && (try? inspections.memory.checkWritable(mayPrompt: false)) != nil
            }
            // A prompt that can be shown creates a keyring when it is first needed.
            tell(
                error == .noCollection && inspections.canPrompt
                    ? Diagnosis(
                        step, .warn,
                        Message("there is no keyring yet; you will be asked to create one when it is needed"),
                        code: .noKeyring)
                    : Diagnosis(
                        step, error.isAbsence && doesMemoryServe() ? .warn : .fail, words(error).text,
                        sharing.isEmpty ? words(error).hints : [], code: error.isAbsence ? .noKeyring : nil))
            notTried.forEach(tell)
            guard error.isAbsence else { return .unreadable }
            if !sharing.isEmpty {
                let text = Message("no other machine shares its sign-in with this container")
                tell(Diagnosis(.share, .warn, text, sharing))
            } else if !isInContainer, dependencies.environment("SSH_CONNECTION") != nil {
                tell(
                    Diagnosis(
                        .share, .warn, Message("no other machine shares its sign-in with this one"),
                        [
                            Message(
                                "on the machine that you came from, with the name of this one as ssh knows it, run:"),
                            .command("git credential-gitspace share ssh HOST"),
                        ]))
            }
            return .memory(isAll: error.isSurelyEmpty)
        }
        tell(roundTrip())
        return .keyring
    }

    func words(_ error: KeyringError) -> UserFacingError {
        let keyring = inspections.inspection
        return error.words(by: keyring.offeringProgram, locked: error == .locked ? keyring.namesOfLocked : [])
    }

    private var bus: Diagnosis {
        guard inspections.isBusAddressStale else {
            return Diagnosis(.bus, .ok, Message("the D-Bus session bus is running"))
        }
        return Diagnosis(
            .bus, .warn,
            Message(
                "DBUS_SESSION_BUS_ADDRESS names a session bus that no longer runs; gitspace uses that of your login session"
            ),
            [
                Message("if the variable is left over from another session, remove it:"),
                .command("unset DBUS_SESSION_BUS_ADDRESS"),
            ])
    }

    // MARK: A test item in the keyring

    /// The protocol of this item alone, so that neither git nor we ever take it for a credential.
    private static let protocolName = Array("gitspace-doctor".utf8)
    private static let label: DisplayText = "gitspace-doctor://doctor.invalid"
    /// The age in seconds at which an item is left over from an earlier run.
    private static let longestRun: Int64 = 600

    /// Writes an item to the keyring, reads it back and removes it, even after a failure.
    private func roundTrip() -> Diagnosis {
        let secret = Secret(Self.protocolName)
        let moment = "\(dependencies.clock.now)-\(dependencies.clock.uptimeMilliseconds)"
        let attributes = ItemAttributes(
            protocol: Self.protocolName, host: HostName(name: "doctor.invalid"), user: Array(moment.utf8))
        func write() throws(KeyringError) {
            try dependencies.keyring.save(secret, under: attributes)
            guard try items(with: attributes).contains(where: { $0.secret == secret }) else { throw .notKept }
        }
        func remove() throws(KeyringError) -> Bool {
            for item in try items(with: attributes) { try dependencies.keyring.remove(item) }
            let left = try items(with: attributes)
            return left.isEmpty
        }
        return dependencies.signals.whileSignalsWait {
            removeLeftovers()
            var (isGone, unsaved, kept) = (false, KeyringError?.none, KeyringError?.none)
            do throws(KeyringError) { try write() } catch { unsaved = error }
            do throws(KeyringError) { isGone = try remove() } catch { kept = error }
            if let error = unsaved ?? kept {
                let words = words(error)
                return Diagnosis(
                    .roundTrip, .fail,
                    unsaved == nil
                        ? Message("the keyring did not delete the test item: %1$s", words.text)
                        : Message("the keyring did not store the test item: %1$s", words.text),
                    (isGone ? [] : [Message("if anything is left, run doctor again in ten minutes to delete it")])
                        + words.hints)
            }
            guard isGone else {
                return Diagnosis(
                    .roundTrip, .fail, Message("the keyring still contains an item that was deleted: %1$s", Self.label),
                    [Message("delete it in your desktop's password manager:"), .command("seahorse")])
            }
            return Diagnosis(.roundTrip, .ok, Message("wrote a test item to the keyring, read it back and deleted it"))
        }
    }

    /// The items with these attributes alone: a search also finds items with more of them.
    private func items(with attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try dependencies.keyring.items(having: attributes).filter { $0.attributes == attributes }
    }

    /// Removes the items of killed runs.
    private func removeLeftovers() {
        let query = ItemAttributes(named: [
            (ItemAttributes.Name.protocol, Self.protocolName),
            (ItemAttributes.Name.server, Array("doctor.invalid".utf8)),
        ])
        guard let found = try? dependencies.keyring.items(having: query) else { return }
        let before = UInt64(max(0, dependencies.clock.now - Self.longestRun))
        for item in found where item.attributes.protocol == Self.protocolName && item.modified < before {
            try? dependencies.keyring.remove(item)
        }
    }
}
