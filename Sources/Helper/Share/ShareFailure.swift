package import CredentialCore

/// Why a place is not shared, or not stopped.
package enum ShareFailure: Error, Equatable {
    /// That is no name for a place.
    case malformedName(DisplayText)
    /// That is no host.
    case malformedHost(DisplayText)
    /// A setting of the place has a value that means nothing.
    case malformedSetting(key: DisplayText, value: DisplayText)
    /// Nobody is signed in anywhere, and no host was named.
    case noHosts
    /// systemd starts a place of which the configuration says nothing.
    case unconfigured(PlaceName)
    /// A process shares it already.
    case alreadyShared(PlaceName)
    /// Nobody shares it.
    case notShared(PlaceName)
    /// It could not be ended; the process is nil if it has no ID here, as outside of a container.
    case notStopped(PlaceName, process: Int?)
    /// There is nowhere to put the socket.
    case nowhere
    /// Something that is not ours, or that others may enter, is where the socket has to be.
    case unsafe(path: DisplayText)
    /// The folder's path has characters on which a shell, an engine or ssh would act.
    case unquotable(path: DisplayText)
    /// Another user could put something else where this folder or link is.
    case exchangeable(path: DisplayText)
    /// The socket's path has more bytes than a socket's address has room for.
    case pathTooLong(DisplayText)
    /// systemd did not hand over a socket for this place.
    case notHandedOver
    /// A call failed.
    case system(path: DisplayText, reason: DisplayText)
    /// ssh could not be started, or did not get there.
    case noConnection(destination: DisplayText)
    /// What it named is not a plain absolute path, or is too long for a socket in it.
    case unusableRemoteDirectory(DisplayText, destination: DisplayText)
    /// The server there forwards no sockets.
    case notForwarded(destination: DisplayText)
}
