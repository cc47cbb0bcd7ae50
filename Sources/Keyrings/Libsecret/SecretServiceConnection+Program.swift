internal import CLibsecret
internal import CredentialCore
internal import GLibSupport
internal import System

/// Which program offers the keyring; only the bus is queried, so this works even if the program hangs.
extension SecretServiceConnection {
    /// The kind of program, which decides how the keyring is unlocked.
    func program() throws(CallFailure) -> KeyringProgram {
        if let knownProgram { return knownProgram }
        let program = try Self.program(of: ownerName, on: bus, calls)
        knownProgram = program
        return program
    }

    /// The name of the program: letters, digits, `-`, `_` and `.` only; nil if it is unknown.
    func programName() throws(CallFailure) -> String? { try Self.name(of: ownerName, on: bus, calls) }

    /// The program that owns the service's name on the bus.
    static func offeringProgram(_ calls: KeyringCalls) throws(CallFailure) -> KeyringProgram {
        let bus = try connectToBus(calls)
        return try program(of: "org.freedesktop.secrets", on: bus.opaque, calls)
    }

    /// Calls a method of the bus about a name.
    private static func ask(
        _ bus: OpaquePointer, _ method: String, _ name: String, _ calls: KeyringCalls
    ) throws(CallFailure) -> Variant? {
        let arguments = Variant(.tuple([.string(name)]))
        let pointer = arguments.pointer
        let result = try calls.run {
            g_dbus_connection_call(
                bus, Name.bus, "/org/freedesktop/DBus", Name.bus, method, pointer, nil, G_DBUS_CALL_FLAGS_NONE, -1, $0,
                $1, $2)
        }
        return try CallFailure.checked { g_dbus_connection_call_finish(bus, result.opaque, $0) }.map {
            Variant(taking: $0)
        }
    }

    private static func program(
        of owner: String, on bus: OpaquePointer, _ calls: KeyringCalls
    ) throws(CallFailure) -> KeyringProgram {
        let program = KeyringProgram(try name(of: owner, on: bus, calls))
        // In a sandbox (Flatpak), only the program's proxy is visible; the proxy's other bus names tell more.
        guard case .other = program, let window = try holder(of: "org.keepassxc.KeePassXC.MainWindow", on: bus, calls),
            try holder(of: owner, on: bus, calls) == window
        else { return program }
        return .keePassXC
    }

    /// The unique name of the connection that owns a name; nil if none does.
    private static func holder(
        of name: String, on bus: OpaquePointer, _ calls: KeyringCalls
    ) throws(CallFailure) -> String? {
        do throws(CallFailure) {
            return try ask(bus, "GetNameOwner", name, calls)?.onlyMember(ofTuple: "(s)")?.string
        } catch .noProvider {
            return nil
        }
    }

    private static func name(
        of owner: String, on bus: OpaquePointer, _ calls: KeyringCalls
    ) throws(CallFailure) -> String? {
        let reply = try ask(bus, "GetConnectionUnixProcessID", owner, calls)
        let number = reply?.onlyMember(ofTuple: "(u)")?.uint32
        return number.flatMap(programName)
    }

    /// The program that a process was started as, from proc(5): not from `comm`, which is cut to 15 bytes.
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
