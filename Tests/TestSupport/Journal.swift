/// What happened outside the helper, in its order, whichever double it happened to.
package final class Journal {
    /// One entry for each event, such as `keyring save` or `POST https://github.com/login/oauth/access_token`.
    package private(set) var entries: [String] = []

    /// A journal without entries.
    package init() {}

    /// Adds an entry.
    package func note(_ entry: String) { entries.append(entry) }

    /// How many entries are exactly `entry`.
    package func count(of entry: String) -> Int { entries.filter { $0 == entry }.count }
}
