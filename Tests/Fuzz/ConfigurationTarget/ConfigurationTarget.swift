import CredentialCore
import FuzzSupport
import Providers

/// Reads any bytes as the output of `git config --list --show-scope -z`.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzConfiguration(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Input(start, count)
    // A malformed listing is rejected as a whole.
    guard let entries = try? ConfigurationEntry.parse(input.bytes) else { return 0 }
    for entry in entries {
        require(!entry.section.contains("."), "a section with a dot")
        require(!entry.key.contains("."), "a key with a dot")
    }
    // Written by git's rules and read again, the entries are equal. Entries of a repository never count, except the one
    // that can only forbid prompts.
    require((try? ConfigurationEntry.parse(listing(entries, scope: "global"))) == entries, "reads differently")
    for scope in ["local", "worktree"] {
        let heard = (try? ConfigurationEntry.parse(listing(entries, scope: scope))) ?? entries
        for entry in heard {
            let silence = ConfigurationEntry(section: "credential", key: "interactive", value: entry.value)
            require(entry == silence, "a repository has its say")
            let alone = Configuration([entry], for: HostName(name: ""))
            require(Interactivity.prohibition(alone, environment: { _ in nil }) != nil, "a repository loosens")
        }
    }

    let host = HostName(name: "ghe.test", port: 8_443)
    let configuration = Configuration(entries, for: host, path: Array("acme/private".utf8))
    let settings = try? SignInSettings(configuration, host: host, environment: { _ in nil })
    for endpoint in [settings?.deviceAuthorizationEndpoint, settings?.tokenEndpoint].compactMap({ $0 }) {
        require(HTTPSAddress(parsing: endpoint.text) == endpoint, "an endpoint that is no address")
    }
    _ = Interactivity.prohibition(configuration, environment: { _ in nil })
    _ = TransportConfiguration(configuration, environment: { _ in nil })
    let text = String(decoding: input.bytes.prefix(64), as: UTF8.self)
    require((0...86_400).contains(SignInSettings.minValidity { _ in text }), "a margin without bounds")
    return 0
}

/// The listing that git would print for these entries.
private func listing(_ entries: [ConfigurationEntry], scope: String) -> [UInt8] {
    var text: [UInt8] = []
    for entry in entries {
        let name = [entry.section, entry.subsection, entry.key].compactMap { $0 }.joined(separator: ".")
        text += Array((scope + "\0" + name).utf8)
        if let value = entry.value { text += Array(("\n" + value).utf8) }
        text.append(0)
    }
    return text
}
