internal import CredentialCore

/// A search, and what its answer is worth while the keyring is locked.
///
/// The specification has `SearchItems` return locked items as well. gnome-keyring does. KWallet shows nothing of a wallet
/// that has not been opened since it started; KeePassXC shows nothing of a locked database, and while all are locked it
/// answers a search with a dialog (`UnlockBeforeSearch`, its default). So the collection is asked first.
extension LibsecretKeyring {
    /// Finds items; nobody is asked anything.
    ///
    /// - Throws: `.locked` if nothing can be told as long as the keyring is locked.
    func search(
        for attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(CallFailure) -> [Item] {
        try prepareSearch(on: service)
        let found = try service.readItems(having: attributes)
        guard found.isEmpty, try !isTelling(service) else { return found }
        throw .locked
    }

    /// Makes sure that a search opens no dialog.
    func prepareSearch(on service: SecretServiceConnection) throws(CallFailure) {
        guard try !isOpen(service) else { return }
        switch try service.program() {
        case .keePassXC: throw .locked
        case .kwallet: _ = try openUnasked(on: service)
        case .gnomeKeyring, .other: break
        }
    }

    /// Whether a search that finds nothing proves that there is nothing.
    private func isTelling(_ service: SecretServiceConnection) throws(CallFailure) -> Bool {
        if try isOpen(service) { return true }
        if try service.collectionPaths().isEmpty { return true }
        return try service.program() == .gnomeKeyring
    }

    /// Whether any collection is open; nothing is unlocked, and nobody is asked.
    private func isOpen(_ service: SecretServiceConnection) throws(CallFailure) -> Bool {
        if service.hasOpenCollection { return true }
        var isOpen = try service.collection(at: SecretServiceConnection.Name.defaultPath)?.isLocked == false
        if !isOpen {
            for path in try service.collectionPaths() where try service.collection(at: path)?.isLocked == false {
                isOpen = true
                break
            }
        }
        service.hasOpenCollection = isOpen
        return isOpen
    }

    /// Opens a wallet for which nobody has to be asked.
    ///
    /// KWallet calls a wallet locked that was opened at log-in, or by another program. Then its prompt completes by itself;
    /// otherwise that would be a dialog, so KWallet is asked before, which nobody sees.
    ///
    /// - Returns: whether it is open now.
    func openUnasked(on service: SecretServiceConnection) throws(CallFailure) -> Bool {
        guard try service.program() == .kwallet, let collection = try writeCollection(of: service),
            collection.isLocked, try service.isWalletOpen(collection.label)
        else { return false }
        let usualBudget = calls.budget
        calls.budget = TimeBudget(milliseconds: min(limits.unaskedMilliseconds, Int(usualBudget.remaining)))
        defer { calls.budget = usualBudget }
        return (try? service.unlock([collection.path], prompting: .none))?.isEmpty == false
    }

    /// Unlocks items or collections: without a person where none is needed, else by a prompt if one may be asked.
    ///
    /// - Returns: the paths that are unlocked now; at least one.
    /// - Throws: `.locked` if nobody may be asked, `.dismissed` if a person closed the prompt.
    func unlock(_ paths: [String], on service: SecretServiceConnection) throws(CallFailure) -> [String] {
        if try openUnasked(on: service) {
            let unlocked = try service.unlock(paths, prompting: incidentalPrompting(of: service))
            if !unlocked.isEmpty { return unlocked }
        }
        guard try mayAsk(service) else { throw .locked }
        let unlocked = try service.unlock(paths, prompting: .announced(afterMilliseconds: 0))
        guard !unlocked.isEmpty else { throw .dismissed }
        return unlocked
    }

    /// Whether a person may be asked to unlock something.
    func mayAsk(_ service: SecretServiceConnection) throws(CallFailure) -> Bool {
        calls.program = try service.program()
        return canPrompt || (calls.program.asksInOwnWindow && isPersonHere)
    }

    /// For calls that name a prompt with some services only, and mostly one that completes by itself.
    func incidentalPrompting(of service: SecretServiceConnection) throws(CallFailure) -> KeyringCalls.Prompting {
        try mayAsk(service) ? .announced(afterMilliseconds: 300) : .none
    }
}
