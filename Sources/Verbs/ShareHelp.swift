internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension HelpWords {
    /// The texts of `share -h`.
    package enum Share {
        package static let verb = VerbHelp(
            Message("Share your sign-in with a container, a virtual machine or an SSH host."),
            Message("Nothing has to be installed there: git's own credential-cache is the client."),
            Message("Prints the lines to paste, and runs until you stop it."),
            Message("\"share list\" lists what is shared, and when it was last used."),
            Message("A token that was given away stays valid there until it expires, unless you refresh it."))
        package static let word = Message("A name of your choice, such as box; or list, stop or ssh.")
        package static let object = Message(
            "For stop, the name that was shared. For ssh, the host as you type it for ssh.")
        package static let host = Message(
            "A host whose token may be used there; can be repeated. Default: all hosts you are signed in to.")
        package static let username = Message("The account. Default: the one that git uses.")
        package static let confirm = Message(
            "When a notification asks you first. Default: never, and once for an SSH host.")
        package static let lifetime = Message("Stop after this time, such as 30m or 8h.")
        package static let longLived = Message("Also share tokens and passwords that do not expire.")
        package static let name = Message("With ssh, the name under which it is listed. Default: ssh-HOST.")
        package static let refresh = Message(
            "With stop, refresh the tokens that were given away, so that every copy stops working.")
    }
}
