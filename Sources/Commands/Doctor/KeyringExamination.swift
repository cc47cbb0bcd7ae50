internal import CredentialCore
internal import Helper
internal import Messages

/// The way to the keyring, a step at a time, and whether it keeps what it is given.
struct KeyringExamination {
    private let dependencies: Dependencies
    private let inspections: Inspections

    init(with dependencies: Dependencies, with inspections: Inspections) {
        self.dependencies = dependencies
        self.inspections = inspections
    }

    /// Looks at the keyring.
    ///
    /// - Returns: whether items can be read.
    func examine(report: (Diagnosis) -> Void) -> Bool {
        guard !isUnused else {
            report(Diagnosis(.bus, .skip, Message("the keyring is not used: gitspaceStore is cache")))
            return false
        }
        var open = [Diagnosis.Check.bus, .provider, .collection, .roundTrip]
        func settle(_ diagnosis: Diagnosis) {
            open.removeAll { $0 == diagnosis.check }
            report(diagnosis)
        }
        do throws(KeyringError) {
            try inspections.inspection.checkBus()
            settle(Diagnosis(.bus, .ok, Message("the session bus answers")))
            let name = try inspections.inspection.provider()
            settle(
                Diagnosis(
                    .provider, .ok,
                    name.map { Message("a keyring is offered by %1$s", $0) } ?? Message("a keyring is offered")))
            guard try !inspections.inspection.isCollectionLocked() else {
                settle(locked)
                settle(Diagnosis(.roundTrip, .skip, Message("nothing was written to the keyring, since it is locked")))
                return false
            }
            settle(Diagnosis(.collection, .ok, Message("the keyring is unlocked")))
        } catch {
            settle(Diagnosis(open[0], .fail, error.sentence, error.hints))
            for check in open { report(Diagnosis(check, .skip, skipped(check))) }
            return false
        }
        let roundTrip = ProbeItem(with: dependencies).roundTrip()
        settle(roundTrip)
        return true
    }

    private var isUnused: Bool { ContextResolver(with: dependencies).generalSettings.store == .cache }

    /// A prompt that can be seen is no fault: it opens the keyring when it is first needed.
    private var locked: Diagnosis {
        guard inspections.canPrompt else {
            return Diagnosis(.collection, .fail, KeyringError.locked.sentence, KeyringError.locked.hints)
        }
        return Diagnosis(
            .collection, .warn, Message("the keyring is locked; it asks for its password when it is needed"))
    }

    private func skipped(_ check: Diagnosis.Check) -> Message {
        switch check {
        case .provider: Message("who offers a keyring was not asked")
        case .collection: Message("whether the keyring is unlocked was not asked")
        default: Message("nothing was written to the keyring")
        }
    }
}
