internal import CLibsecret
internal import CredentialCore

extension KeyringError {
    /// Converts an error of libsecret, GDBus or the service, and frees it.
    init(consuming error: UnsafeMutablePointer<GError>) {
        defer { g_error_free(error) }
        let code = UInt32(bitPattern: error.pointee.code)
        let known: KeyringError? =
            switch error.pointee.domain {
            case PromptingService.dismissedDomain: .dismissed
            case SessionError.domain: .noSession
            case secret_error_get_quark(): Self.secretError(SecretError(code))
            case g_dbus_error_quark(): Self.busError(GDBusError(code))
            case g_io_error_quark(): Self.ioError(GIOErrorEnum(code))
            default: nil
            }
        self = known ?? .other(error.pointee.message.map { String(cString: $0) } ?? "no message")
    }

    private static func secretError(_ code: SecretError) -> KeyringError? {
        switch code {
        case SECRET_ERROR_IS_LOCKED: .locked
        case SECRET_ERROR_NO_SUCH_OBJECT: .noSuchObject
        default: nil
        }
    }

    private static func busError(_ code: GDBusError) -> KeyringError? {
        switch code {
        case G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER, G_DBUS_ERROR_SPAWN_EXEC_FAILED,
            G_DBUS_ERROR_SPAWN_FORK_FAILED, G_DBUS_ERROR_SPAWN_CHILD_EXITED, G_DBUS_ERROR_SPAWN_CHILD_SIGNALED,
            G_DBUS_ERROR_SPAWN_FAILED, G_DBUS_ERROR_SPAWN_SETUP_FAILED, G_DBUS_ERROR_SPAWN_CONFIG_INVALID,
            G_DBUS_ERROR_SPAWN_SERVICE_INVALID, G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND,
            G_DBUS_ERROR_SPAWN_PERMISSIONS_INVALID, G_DBUS_ERROR_SPAWN_FILE_INVALID, G_DBUS_ERROR_SPAWN_NO_MEMORY:
            .noProvider
        // Services answer with any of these if the object no longer exists.
        case G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_OBJECT, G_DBUS_ERROR_UNKNOWN_INTERFACE: .noSuchObject
        case G_DBUS_ERROR_ACCESS_DENIED, G_DBUS_ERROR_AUTH_FAILED, G_DBUS_ERROR_NOT_SUPPORTED: .denied
        case G_DBUS_ERROR_NO_REPLY, G_DBUS_ERROR_DISCONNECTED: .disconnected
        default: nil
        }
    }

    private static func ioError(_ code: GIOErrorEnum) -> KeyringError? {
        switch code {
        case G_IO_ERROR_CLOSED, G_IO_ERROR_BROKEN_PIPE: .disconnected
        // GDBus's default timeout of a call, 25 seconds.
        case G_IO_ERROR_TIMED_OUT: .unresponsive(seconds: 25)
        default: nil
        }
    }

    /// Calls a `…_finish` function, and throws its error; without an error, the caller must still check for NULL.
    static func checked<Value>(
        _ finish: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Value
    ) throws(KeyringError) -> Value {
        var error: UnsafeMutablePointer<GError>?
        let value = finish(&error)
        if let error { throw KeyringError(consuming: error) }
        return value
    }
}

/// Two errors that libsecret passes on as text only: the specification's `NoSession`, and KWallet's answer if it cannot
/// decrypt the secret of a new item, which it creates without one.
enum SessionError {
    static let domain: GQuark = g_quark_from_static_string("gitspace-no-session")

    /// Makes GDBus map these errors to this domain.
    static func register() { _ = registered }

    private static let registered = [
        g_dbus_error_register_error(domain, 0, "org.freedesktop.Secret.Error.NoSession"),
        g_dbus_error_register_error(domain, 1, "org.qtproject.QtDBus.Error.InvalidObjectPath"),
    ]
}
