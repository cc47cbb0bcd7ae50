/// Why a place has no directory, record or socket.
package enum ShareError: Error, Equatable {
    /// There is neither an `XDG_RUNTIME_DIR` nor a home directory.
    case nowhere
    /// Another process shares this place.
    case alreadyShared
    /// It is not ours, others may enter it, or it is of another kind.
    case unsafe(path: String)
    /// A shell, a container engine or ssh would act on a character of it.
    case unquotable(path: String)
    /// Another user could exchange this folder or link.
    case exchangeable(path: String)
    /// It has more bytes than a socket's address has room for.
    case pathTooLong(String)
    /// systemd passed no socket that listens there.
    case notHandedOver
    /// A call failed, with this `errno`.
    case system(path: String, Int32)
}
