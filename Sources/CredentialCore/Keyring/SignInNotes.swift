/// What processes tell each other about a sign-in: where a person is being asked, and that they have said no.
///
/// Nothing depends on it but how often a person is asked. A note is about one command of git's or, where no git command
/// asks, about a minute; a process that is killed leaves nothing that would keep a later command from asking.
package protocol SignInNotes {
    /// Whether the person has said no to the sign-in in the command that asks now.
    func refusal(of signIn: LockName) -> SignInRefusal?

    /// Notes that the person has said no; only for the holder of the lock.
    func noteRefusal(of signIn: LockName)

    /// Notes where the person is being asked; only for the holder of the lock.
    func noteStart(of signIn: LockName)

    /// Takes that back; only for the holder of the lock.
    func noteEnd(of signIn: LockName)

    /// Where the person is being asked, seen from here; nil if that has not been noted (yet).
    func place(of signIn: LockName) -> SignInPlace?
}

/// A no that still holds.
package enum SignInRefusal: Equatable, Sendable {
    /// It was said in this very git command.
    case inThisCommand
    /// No git command asks, and it was said a short while ago.
    case shortlyBefore
}

/// Where a person is being asked to sign in, seen from a process that waits for it.
package enum SignInPlace: Equatable, Sendable {
    case thisCommand
    case thisTerminal
    case anotherTerminal
    /// Not on a terminal, as on the desktop; or nobody knows.
    case elsewhere
}
