package import CredentialCore
internal import System

/// A look at the service, a step at a time; nothing is unlocked and nothing is changed.
extension LibsecretKeyring {
    /// Connects to the session bus, and to nothing on it.
    package func checkBus() throws(KeyringError) {
        do {
            _ = try SecretServiceConnection.connectToBus(calls)
        } catch {
            throw error.keyringError
        }
    }

    /// Connects to the service, which the bus starts if it knows how.
    ///
    /// - Returns: the name of its program: letters, digits, `-`, `_` and `.` only; nil if that cannot be found out.
    package func provider() throws(KeyringError) -> String? {
        let number = try retryingOnce { service throws(CallFailure) in try service.processNumber() }
        return number.flatMap(Self.programName)
    }

    /// Whether the collection that new items go to is locked.
    ///
    /// - Throws: `.noCollection` if there is none.
    package func isCollectionLocked() throws(KeyringError) -> Bool {
        let found = try retryingOnce { service throws(CallFailure) in try writeCollection(of: service) }
        guard let found else { throw .noCollection }
        return found.isLocked
    }

    /// The program that a process was started as, by proc(5): not `comm`, which is cut to 15 bytes.
    private static func programName(_ process: UInt32) -> String? {
        guard let program = ProcessEntry.arguments(of: Int32(clamping: process))?.first else { return nil }
        let name = program.split(separator: UInt8(ascii: "/")).last ?? []
        let isPlain = name.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ASCII.folded(byte)) || "-_.".utf8.contains(byte)
        }
        return isPlain && !name.isEmpty && name.count <= 64 ? String(decoding: name, as: UTF8.self) : nil
    }
}
