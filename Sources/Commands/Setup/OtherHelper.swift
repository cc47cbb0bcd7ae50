package import CredentialCore
internal import Helper
internal import OAuth

/// A helper of somebody else's, as it can be shown.
package struct OtherHelper: Equatable {
    /// Its name; of a command only the first word, and of a shell's not even that: people write passwords into them.
    package let name: DisplayText?
    /// The file in which it is configured.
    package let origin: DisplayText

    /// The helpers of some links, each once.
    static func list(_ links: [HelperChain.Link]) -> [OtherHelper] {
        var list: [OtherHelper] = []
        for link in links {
            let word = link.helper.split(separator: " ").first.map { DisplayText($0.utf8) }
            let helper = OtherHelper(
                name: link.helper.hasPrefix("!") ? nil : word, origin: DisplayText(link.origin.utf8))
            if !list.contains(helper) { list.append(helper) }
        }
        return list
    }
}
