internal import CredentialCore
internal import Helper

/// An item that is written to the keyring, read back and removed, to test the keyring.
///
/// Only this item has its protocol, so that neither git nor we ever take it for a credential.
struct ProbeItem {
    private let dependencies: Dependencies
    private let attributes: ItemAttributes
    private let secret = Secret(Array("gitspace-doctor".utf8))

    private static let protocolName = Array("gitspace-doctor".utf8)
    /// Seconds after which such an item was left behind by an earlier run.
    private static let longestRun: Int64 = 600

    init(with dependencies: Dependencies) {
        self.dependencies = dependencies
        let moment = "\(dependencies.clock.now)-\(dependencies.clock.uptimeMilliseconds)"
        attributes = ItemAttributes(
            protocol: Self.protocolName, host: HostName(name: "doctor.invalid"), user: Array(moment.utf8))
    }

    /// Writes, reads and removes; whatever fails, removal is tried.
    func roundTrip() -> Diagnosis {
        dependencies.signals.whileSignalsWait {
            removeLeftovers()
            let fault = writeAndRead()
            let isGone = remove()
            if let fault { return Diagnosis(.roundTrip, .fail, .keyring(.notKept(fault, isGone: isGone))) }
            guard isGone else { return Diagnosis(.roundTrip, .fail, .keyring(.itemStays(Self.label))) }
            return Diagnosis(.roundTrip, .ok, .keyring(.roundTrip))
        }
    }

    private static let label: DisplayText = "gitspace-doctor://doctor.invalid"

    private func writeAndRead() -> KeyringError? {
        do throws(KeyringError) {
            try dependencies.keyring.save(secret, under: attributes)
            let isThere = try own().contains { $0.secret == secret }
            return isThere ? nil : .other("the secret was not kept")
        } catch {
            return error
        }
    }

    /// A search also finds items that have more attributes; those are not ours.
    private func own() throws(KeyringError) -> [Item] {
        try dependencies.keyring.items(having: attributes).filter { $0.attributes == attributes }
    }

    private func remove() -> Bool {
        do throws(KeyringError) {
            for item in try own() { try dependencies.keyring.remove(item) }
            return try own().isEmpty
        } catch {
            return false
        }
    }

    /// A run that was killed could not clean up.
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
