/// A place without access to the person's keyring.
package enum RemoteEnvironment: Equatable, Sendable {
    case container
    case ssh
}
