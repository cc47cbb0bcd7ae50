package import CredentialCore
internal import Helper
internal import Providers

/// Another helper from which git takes credentials for a host where we sign in, although we store a sign-in.
package struct HelperInFront: Equatable {
    /// The host.
    package let host: DisplayText
    /// The helper's name, or what of a shell command cannot be secret.
    package let name: DisplayText
    /// The file; nil for the command line.
    package let file: DisplayText?
    /// Whether git never asks us, instead of asking us later.
    package let isInOurPlace: Bool

    /// The helper that git asks first.
    ///
    /// Nil if that is us, or if there is none.
    ///
    /// - Parameters:
    ///   - entries: the lines of git's configuration, in its order.
    ///   - host: the host.
    init?(_ entries: [OriginatedEntry], for host: SignInHost) {
        let helpers = HelperChain(entries, for: host.name).links.map(ConfiguredHelper.init)
        guard let first = helpers.first, !first.isOurs else { return nil }
        self.host = host.displayName
        name = first.shownName
        file = first.shownFile
        isInOurPlace = !helpers.contains(where: \.isOurs)
    }
}
