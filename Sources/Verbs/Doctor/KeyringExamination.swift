internal import CredentialCore
internal import Helper
internal import Messages

/// Access to the keyring, step by step, and whether it keeps what is saved.
struct KeyringExamination {
    private let dependencies: Dependencies
    private let inspections: Inspections

    init(with dependencies: Dependencies, with inspections: Inspections) {
        self.dependencies = dependencies
        self.inspections = inspections
    }

    /// Where the accounts can be looked up.
    enum AccountStore {
        /// In the keyring.
        case keyring
        /// In git's in-memory cache; whether no keyring could have others.
        case memory(isAll: Bool)
        /// In none that can be read without a prompt.
        case unreadable
    }

    /// Looks at the keyring.
    ///
    /// - Returns: where the accounts can be looked up.
    func examine(report: (Diagnosis) -> Void) -> AccountStore {
        guard !isUnused else {
            report(Diagnosis(.bus, .skip, .keyring(.unused)))
            return .memory(isAll: true)
        }
        var open = [Diagnosis.Check.bus, .provider, .collection, .roundTrip]
        func settle(_ diagnosis: Diagnosis) {
            open.removeAll { $0 == diagnosis.check }
            report(diagnosis)
        }
        do throws(KeyringError) {
            try inspections.inspection.checkBus()
            settle(Diagnosis(.bus, .ok, .keyring(.busAnswers)))
            let name = try inspections.inspection.provider()
            settle(Diagnosis(.provider, .ok, .keyring(.offered(by: name.map { DisplayText(own: $0) }))))
            guard try !inspections.inspection.isCollectionLocked() else {
                settle(locked)
                settle(Diagnosis(.roundTrip, .skip, .keyring(.notWritten(isLocked: true))))
                return .unreadable
            }
            settle(Diagnosis(.collection, .ok, .keyring(.unlocked)))
        } catch {
            settle(Diagnosis(open[0], .fail, .keyring(.failed(error, by: inspections.inspection.offeringProgram))))
            for check in open { report(Diagnosis(check, .skip, .keyring(skipped(check)))) }
            if error.isAbsence, let share { report(share) }
            return error.isAbsence ? .memory(isAll: error.isSurelyEmpty) : .unreadable
        }
        let roundTrip = ProbeItem(with: dependencies).roundTrip()
        settle(roundTrip)
        return .keyring
    }

    private var isUnused: Bool { (try? ContextResolver(with: dependencies).generalSettings)?.store == .cache }

    /// What can replace a keyring that is missing.
    private var share: Diagnosis? {
        inspections.remote.map { Diagnosis(.share, .warn, .keyring(.notShared($0))) }
    }

    /// No failure if a prompt can be shown: it unlocks the keyring when first needed.
    private var locked: Diagnosis {
        guard inspections.canPrompt() else {
            return Diagnosis(.collection, .fail, .keyring(.failed(.locked, by: inspections.inspection.offeringProgram)))
        }
        return Diagnosis(.collection, .warn, .keyring(.locked))
    }

    private func skipped(_ check: Diagnosis.Check) -> Diagnosis.Keyring {
        switch check {
        case .provider: .providerNotAsked
        case .collection: .collectionNotAsked
        default: .notWritten(isLocked: false)
        }
    }
}
