import CredentialCore
import FuzzSupport
import Providers

/// ② Reads any bytes as a host, an address and a pattern of the configuration, and compares the results.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzAddresses(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let parts = Input(start, count).parts
    let text = String(decoding: parts[0], as: UTF8.self)
    if let address = HTTPSAddress(parsing: text) { check(address) }
    if let repository = RepositoryAddress(text) { check(repository, text) }
    guard let host = HostName(parts[0]) else { return 0 }
    // An empty port is equal to none.
    require([host.text, host.text + [UInt8(ascii: ":")]].contains(parts[0]), "a host is kept byte for byte")
    require(host.port != 0, "a port that is none")
    let canonical = host.canonicalForHTTPS
    require(canonical.canonicalForHTTPS == canonical, "what is canonical stays as it is")
    checkKnown(host)
    checkConfigured(host)
    if parts.count > 1, let pattern = URLPattern(String(decoding: parts[1], as: UTF8.self)) {
        let path = parts.count > 2 ? parts[2] : []
        let closeness = pattern.closeness(to: host, path: path)
        let folded = pattern.closeness(to: canonical, path: path)
        require(closeness?.hostBytes == folded?.hostBytes && closeness?.pathBytes == folded?.pathBytes, "case decides")
    }
    return 0
}

private func check(_ address: HTTPSAddress) {
    guard let again = HTTPSAddress(parsing: address.text) else { fatalError("cannot be read again: \(address)") }
    require(again == address && again.text == address.text, "an address reads differently when written")
    require(address.text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "an odd byte in an address")
    require(!address.authority.contains("@") && !address.text.contains("\\"), "somebody else's host")
    require(address.text.hasPrefix("https://" + address.authority + "/"), "an address of other parts")
    require(address.isSameOrigin(as: again), "not of its own origin")
}

/// Checks that a repository's host is the one in the text, and that its name leads to no other host.
private func check(_ repository: RepositoryAddress, _ text: String) {
    let host = String(decoding: repository.host.text, as: UTF8.self)
    let others = ["ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"]
    let typed = String(decoding: text.utf8.map(ASCII.folded), as: UTF8.self)
    let isThere = typed.utf8.firstRange(of: host.utf8) != nil
    let hasOther = others.contains { $0.value == host && typed.contains($0.key) }
    // `OWNER/NAME` without a host means github.com.
    require(isThere || hasOther || host == "github.com", "a host that nobody typed")
    if typed.utf8.starts(with: "https://".utf8) {
        let authority = typed.utf8.dropFirst(8).prefix { !"/?#".utf8.contains($0) }
        let name = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last.map(Array.init)
        let canonical = HostName(name ?? [])?.canonicalForHTTPS.text ?? []
        require([canonical, Array(canonical.dropFirst(4))].contains(repository.host.text), "another host than git's")
    }
    for part in repository.segments {
        require(part.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || "-_.~%".utf8.contains($0) }, "an odd name")
        require(!["", ".", ".."].contains(part), "a name that leads elsewhere")
    }
    let name = SignInHost(builtIn: repository.host)?.provider.repositoryName(repository.segments) ?? ""
    require(name.split(separator: "/").allSatisfy { $0 != "." && $0 != ".." }, "a folder in the API's path")
    let path = repository.segments.joined(separator: "/")
    let again = RepositoryAddress("https://\(host)/\(path).git")
    require(again?.segments == repository.segments, "an address that reads differently")
    if !host.hasPrefix("www.") { require(again?.host == repository.host, "another host when written") }
}

/// Checks the list of built-in hosts by an independent second list.
private func checkKnown(_ host: HostName) {
    let lower = host.text.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
    let name = lower.suffix(4).elementsEqual(":443".utf8) ? lower.dropLast(4) : lower[...]
    let isKnown = SignInHost(builtIn: host) != nil
    let isGitHub = name.elementsEqual("github.com".utf8) || name.elementsEqual("gist.github.com".utf8)
    let isGitLab = name.elementsEqual("gitlab.com".utf8)
    let isCloud =
        name.suffix(8).elementsEqual(".ghe.com".utf8) && name.filter { $0 == UInt8(ascii: ".") }.count == 2
        && name.allSatisfy { $0 > 0x2c && $0 < 0x7b }
    require(!isKnown || isGitHub || isGitLab || isCloud, "a stranger passes for a built-in host")
    require(isKnown || !isGitHub && !isGitLab, "a built-in host is not known")
    if let known = (try? CredentialContext(protocol: Array("https".utf8), host: host))?.signInHost {
        require(isKnown && known.name.text.elementsEqual(isGitHub ? Array("github.com".utf8)[...] : name), "misfiled")
    }
    let overHTTP = try? CredentialContext(protocol: Array("http".utf8), host: host)
    require(overHTTP?.signInHost == nil, "known over http")
}

/// Checks that a configured host is contacted only under its own name.
private func checkConfigured(_ host: HostName) {
    guard let known = SignInHost(configured: host, provider: .github) else { return }
    require(Array(known.origin.authority.utf8) == host.canonicalForHTTPS.text, "asked somewhere else")
}
