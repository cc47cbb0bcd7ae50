/// git's configuration as it applies to one host: `credential.<url>.*`, `http.<url>.*` and the plain forms.
package struct Configuration {
    private let entries: [ConfigurationEntry]
    private let host: HostName
    private let path: [UInt8]

    /// `entries` must be in git's order; `path` has no leading slash.
    package init(_ entries: [ConfigurationEntry], for host: HostName, path: [UInt8] = []) {
        self.entries = entries
        self.host = host
        self.path = path
    }

    /// The value under the most specific URL, the last of several; an empty value counts as set.
    package func value(_ section: String, _ key: String) -> String? {
        closest(section, key.lowercased(), hostOnly: false)?.effectiveValue
    }

    /// The value, with the whole key of its line.
    package func setting(_ section: String, _ key: String) -> (name: String, value: String)? {
        closest(section, key.lowercased(), hostOnly: false).map { ($0.name, $0.effectiveValue) }
    }

    /// The value of a key that decides where something is sent, which needs a URL with a concrete host.
    ///
    /// Otherwise, one line could send a secret to any host that the person clones from.
    package func hostValue(_ section: String, _ key: String) -> String? {
        closest(section, key.lowercased(), hostOnly: true)?.effectiveValue
    }

    private func closest(_ section: String, _ key: String, hostOnly: Bool) -> ConfigurationEntry? {
        var best: (closeness: URLPattern.Closeness, entry: ConfigurationEntry)?
        for entry in entries where entry.section == section && entry.key == key {
            let pattern = entry.subsection.flatMap { URLPattern($0) }
            // The form without a URL is the least specific.
            let closeness = entry.subsection == nil ? (-1, -1) : pattern?.closeness(to: host, path: path)
            guard let closeness, !hostOnly || pattern?.hasConcreteHost == true else { continue }
            if let best, best.closeness > closeness { continue }
            best = (closeness, entry)
        }
        return best?.entry
    }

    package func plainValue(_ section: String, _ key: String) -> String? {
        entries.last { $0.section == section && $0.subsection == nil && $0.key == key.lowercased() }
            .map(\.effectiveValue)
    }
}
