/// The events outside the helper in their order, from all doubles.
package final class Journal {
    /// One entry for each event, such as `keyring save` or `POST https://github.com/login/oauth/access_token`.
    package private(set) var entries: [String] = []

    package init() {}
    package func note(_ entry: String) { entries.append(entry) }

    package func count(of entry: String) -> Int { entries.filter { $0 == entry }.count }
}
