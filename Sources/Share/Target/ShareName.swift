internal import CredentialCore
internal import Helper
package import Messages

/// The name of a share, fit for a directory, a unit of systemd and a section of git's configuration.
package struct ShareName: Hashable, Sendable {
    /// Nothing in it needs quoting, in a shell or elsewhere.
    package let text: String

    /// Nil if a person typed no name.
    ///
    /// It has letters, digits, `.`, `_` and `-`, begins with one of the first two, and is no word of ours. The socket's
    /// path has to hold it (unix(7) has room for 108 bytes).
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.longest).contains(bytes.count), let first = bytes.first, ASCII.isLetterOrDigit(first),
            bytes.allSatisfy({ ASCII.isLetterOrDigit($0) || [0x2e, 0x5f, 0x2d].contains($0) }),
            !Self.reserved.contains(text)
        else { return nil }
        self.text = text
    }

    /// `ssh-` and what can stand in a name.
    package init(forDestination destination: String) {
        let fit = destination.utf8.map { ASCII.isLetterOrDigit($0) || $0 == 0x2e ? $0 : 0x2d }
        text = "ssh-" + String(decoding: fit.suffix(Self.longest - 4), as: UTF8.self)
    }

    /// The word of ours that a person may have meant; nil if none is close.
    var mistyped: DisplayText? {
        EditDistance.nearest(to: text, of: Self.reserved).map { DisplayText(trusted: $0) }
    }

    private static let longest = 32
    private static let reserved = ["list", "stop", "ssh"]
}

extension ShareName {
    /// As a person types it.
    package init(typed text: String) throws(UserFacingError) {
        guard let name = ShareName(text) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" cannot be the name of a shared place", DisplayText(untrusted: text.utf8)),
                [
                    Message("use up to 32 letters, digits, . _ -; list, stop and ssh are reserved:"),
                    .command("git credential-gitspace share box"),
                ])
        }
        self = name
    }
}
