package import CredentialCore
internal import GLibSupport
internal import System

/// Decides what an empty result means while the keyring is locked.
///
/// The specification has `SearchItems` return locked items as well. gnome-keyring does. KWallet shows nothing of a
/// wallet that has not been opened since it started; KeePassXC shows nothing of a locked database, and while all are
/// locked it answers a search with a dialog (`UnlockBeforeSearch`, its default). So the collections are checked first.
extension LibsecretKeyring {
    /// - Throws: `.locked` if nothing is found and the locked keyring may hide items.
    func search(
        for attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(KeyringError) -> [Item] {
        try prepareSearch(on: service)
        let found = try service.readItems(having: attributes)
        guard found.isEmpty, try !emptyMeansAbsent(service) else { return found }
        throw .locked
    }

    /// No search may open a dialog.
    func prepareSearch(on service: SecretServiceConnection) throws(KeyringError) {
        guard try !isOpen(service) else { return }
        switch try service.program() {
        case .keePassXC: guard try hasOpenCollection(service) else { throw .locked }
        case .kwallet: _ = try openUnasked(on: service)
        case .gnomeKeyring, .other: break
        }
    }

    /// Finding nothing then proves that there is nothing, at least where new items go.
    private func emptyMeansAbsent(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        if try isOpen(service), configuredCollection == nil { return true }
        if try service.program() == .gnomeKeyring { return true }
        return try writeCollection(of: service)?.isLocked != true
    }

    /// Whether the default one is; neither unlocks nor prompts.
    private func isOpen(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        if service.isDefaultOpen { return true }
        service.isDefaultOpen =
            try service.collection(at: SecretServiceConnection.Name.defaultPath)?.isLocked == false
        return service.isDefaultOpen
    }

    /// Any at all, besides gnome-keyring's own.
    func hasOpenCollection(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        let session = try service.path(ofAlias: Self.sessionAlias)
        for path in try service.collectionPaths() where path != session {
            if try service.collection(at: path)?.isLocked == false { return true }
        }
        return false
    }

    /// Only if that needs no dialog.
    ///
    /// KWallet reports a wallet as locked even if it was opened at login or by another program. Its prompt then
    /// completes by itself; otherwise it would be a dialog. So KWallet is first asked whether the wallet is open.
    func openUnasked(on service: SecretServiceConnection) throws(KeyringError) -> Bool {
        guard try service.program() == .kwallet, let collection = try writeCollection(of: service),
            collection.isLocked, try service.isWalletOpen(collection.label)
        else { return false }
        let usual = calls.deadline
        calls.deadline = calls.deadline(in: min(limits.unaskedMilliseconds, Int(usual.remaining)))
        defer { calls.deadline = usual }
        return (try? service.unlock([collection.path], prompting: .none))?.isEmpty == false
    }

    /// Without a person where possible, otherwise with a prompt if prompts are allowed.
    ///
    /// - Returns: the paths that are unlocked now; at least one.
    /// - Throws: `.locked` if prompts are not allowed, `.dismissed` if a person closed the prompt.
    func unlock(_ paths: [String], on service: SecretServiceConnection) throws(KeyringError) -> [String] {
        if try openUnasked(on: service) {
            let unlocked = try service.unlock(paths, prompting: incidentalPrompting(of: service))
            if !unlocked.isEmpty { return unlocked }
        }
        guard try mayAsk(service) else { throw .locked }
        let unlocked = try service.unlock(paths, prompting: .announced(afterMilliseconds: 0))
        guard !unlocked.isEmpty else { throw .dismissed }
        return unlocked
    }

    package var mayPrompt: Bool { canPrompt || (isPersonHere && offeringProgram.asksInOwnWindow) }

    func mayAsk(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        calls.program = try service.program()
        return canPrompt || (calls.program.asksInOwnWindow && isPersonHere)
    }

    /// For calls to which only some services respond with a prompt, which mostly completes by itself.
    func incidentalPrompting(of service: SecretServiceConnection) throws(KeyringError) -> KeyringCalls.Prompting {
        try mayAsk(service) ? .announced(afterMilliseconds: 300) : .none
    }
}

extension LibsecretKeyring: ForeignKeyring {
    /// More than any tool stores for one person; reading more would take too long.
    private static let mostForeignItems = 500

    package func foreignItems(
        having attributes: [(name: String, value: [UInt8])]
    ) throws(KeyringError) -> [ForeignItem] {
        try retryingBriefly { service throws(KeyringError) in
            try prepareSearch(on: service)
            var (paths, locked) = try service.search(named: attributes)
            if !locked.isEmpty {
                paths += try unlock(locked, on: service)
            }
            var items: [ForeignItem] = []
            for path in paths.prefix(Self.mostForeignItems) {
                if let item = try readForeign(path, on: service) { items.append(item) }
            }
            return items
        }
    }

    /// Nil if the item no longer exists, or is still locked.
    private func readForeign(_ path: String, on service: SecretServiceConnection) throws(KeyringError) -> ForeignItem? {
        do throws(KeyringError) {
            let secret = try service.secret(of: path)
            let properties = try service.properties(of: path, interface: SecretServiceConnection.Name.item)
            guard let secret else {
                guard properties["Locked"]?.boolean == true else { throw .noSession }
                return nil
            }
            return ForeignItem(
                attributes: properties["Attributes"]?.dictionary ?? [],
                modified: properties["Modified"]?.uint64 ?? 0, secret: secret)
        } catch .noSuchObject, .locked {
            return nil
        }
    }
}
