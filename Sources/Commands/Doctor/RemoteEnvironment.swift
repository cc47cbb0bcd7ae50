/// A machine to which a person's keyring does not reach.
package enum RemoteEnvironment: Equatable, Sendable {
    case container
    case ssh
}
