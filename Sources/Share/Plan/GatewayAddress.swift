internal import CredentialCore
internal import Providers

/// git's configuration that sends a place's requests to a gateway.
///
/// Works with git since 2.31, and with libcurl since 7.84, which takes a socket's path as the host name of a SOCKS
/// proxy. git before 2.47 drops the path of a proxy's address but decodes its host name, hence the encoded slashes.
extension SharePlan {
    /// The file's name, beside the socket.
    static let configurationFile = "gitconfig"

    /// The lines for a gateway, none if the place gets the token; `folder` is the socket's, as the place sees it.
    func gatewayConfiguration(in folder: String) -> [String] {
        guard let policy = access.gateway else { return [] }
        let gateway = Self.gateway
        let socket = PercentEncoding.encoded("\(folder)/socket".utf8) { ASCII.isPlain([$0], with: "._-") }
        let lines = [
            "# Written by git credential-gitspace share; git here has neither a token nor needs a network.",
            "[http \"\(gateway)\"]", "\tproxy = socks5h://localhost\(String(decoding: socket, as: UTF8.self))",
            // Helpers in the place are not asked.
            "[credential \"\(gateway)\"]", "\thelper =",
            // Git LFS is not passed through, and a checkout would wait for it.
            "# Files in Git LFS stay pointers: where it is shared, run git lfs pull, or share with --token.",
            "[lfs]", "\tfetchexclude = *",
        ]
        return lines + (policy.repositories.map(rewriting) ?? hosts.flatMap(Self.rewriting))
    }

    private static let gateway = "http://\(SOCKSHandshake.host)"

    /// The characters that may follow in a name.
    private static let nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"

    /// Rewrites every repository of a host to the gateway.
    ///
    /// git takes the longest prefix, and the first of equal ones, which may be the place's own: a longer one wins.
    private static func rewriting(_ host: SharePlan.Host) -> [String] {
        guard let name = HostName(host.name) else { return [] }
        let base = "\(gateway)/\(String(decoding: name.text, as: UTF8.self))/"
        return ([""] + nameCharacters.map(String.init))
            .flatMap { start in rewriting(origins(of: name, host.username).map { $0 + start }, to: base + start) }
    }

    /// Rewrites repositories, with or without `.git`.
    ///
    /// Names that only begin like a shared one are mapped to themselves, after all shared ones, which may begin alike;
    /// two spellings of them suffice, and keep the file short, since git searches all lines.
    private func rewriting(_ repositories: [RepositoryName]) -> [String] {
        var (shared, others): ([String], [String]) = ([], [])
        for repository in repositories {
            let origins = Self.origins(of: repository.host, host(named: repository.host.text)?.username)
            let plain = PercentEncoding.decoded(repository.path.utf8).map { String(decoding: $0, as: UTF8.self) }
            let paths = [repository.path, plain].compactMap(\.self).withoutRepetitions.filter { !$0.contains(" ") }
            let addresses = origins.map { origin in paths.map { origin + $0 } }
            for end in ["", RepositoryPath.suffix] {
                let base = "\(Self.gateway)/\(repository.address)\(end)"
                shared += Self.rewriting(addresses.joined().map { $0 + end }, to: base)
            }
            // Names of pages, such as acme.github.io, begin like acme.git.
            let more = Self.nameCharacters.map(String.init) + [".gith", ".gitl"]
            others += addresses.prefix(2).joined().flatMap { other in more.map { other + $0 } }
        }
        return shared + others.flatMap { Self.rewriting([$0], to: $0) }
    }

    /// The beginnings of a host's addresses: web, ssh, and web with an account; only web addresses have the port.
    private static func origins(of host: HostName, _ username: [UInt8]?) -> [String] {
        let authority = String(decoding: host.text, as: UTF8.self)
        let ssh = String(decoding: host.name, as: UTF8.self)
        let account = username.map { PercentEncoding.encoded($0) { ASCII.isPlain([$0], with: "-._~") } }
        return ["https://\(authority)/", "git@\(ssh):", "ssh://git@\(ssh)/"]
            + (account.map { ["https://\(String(decoding: $0, as: UTF8.self))@\(authority)/"] } ?? [])
    }

    /// The lines for `url.<base>.insteadOf` and `pushInsteadOf` (git-config(1)): the place may have either for itself.
    private static func rewriting(_ addresses: [String], to base: String) -> [String] {
        ["[url \"\(base)\"]"] + addresses.flatMap { ["\tinsteadOf = \($0)", "\tpushInsteadOf = \($0)"] }
    }
}

/// The two messages with which libcurl opens a connection through a SOCKS proxy (RFC 1928, 3 and 4), without
/// authentication and to `gitspace.invalid`, port 80, only.
package struct SOCKSHandshake {
    package enum Step: Equatable {
        case needsMore
        /// Send the reply; the CONNECT request follows.
        case chosen(reply: [UInt8])
        /// Send the reply; HTTP follows.
        case connected(reply: [UInt8])
        /// Send the reply, empty if the peer does not use SOCKS 5, and close.
        case refused(reply: [UInt8])
    }

    /// The replies of RFC 1928, 6.
    private enum Reply: UInt8 {
        case succeeded = 0
        case generalFailure = 1
        case notAllowed = 2
        case commandNotSupported = 7
        case addressTypeNotSupported = 8

        var bytes: [UInt8] { [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0] }
    }

    /// The name in the rewritten URLs: no resolver knows it (RFC 6761, 6.4).
    package static let host = "gitspace.invalid"

    private var hasChosen = false
    /// The bytes of the current message, at most 262.
    private var received: [UInt8] = []

    package init() {}

    /// Takes bytes up to the end of a message; call again after `chosen`.
    package mutating func take(_ input: inout ArraySlice<UInt8>) -> Step {
        while let byte = input.popFirst() {
            received.append(byte)
            guard let step = hasChosen ? connecting : choosing else { continue }
            if case .chosen = step { hasChosen = true }
            received.removeAll(keepingCapacity: true)
            return step
        }
        return .needsMore
    }

    /// Reads version, number of methods, and methods; `nil` if incomplete.
    private var choosing: Step? {
        guard received[0] == 5 else { return .refused(reply: []) }
        guard received.count >= 2, received.count == 2 + Int(received[1]) else { return nil }
        return received[2...].contains(0) ? .chosen(reply: [5, 0]) : .refused(reply: [5, 0xff])
    }

    /// Reads version, command, a zero, address type, length of the name, name, and port.
    private var connecting: Step? {
        func refused(_ reply: Reply) -> Step { .refused(reply: reply.bytes) }
        switch received.count {
        case 1: return received[0] == 5 ? nil : refused(.generalFailure)
        case 2: return received[1] == 1 ? nil : refused(.commandNotSupported)
        case 3: return received[2] == 0 ? nil : refused(.generalFailure)
        case 4: return received[3] == 3 ? nil : refused(.addressTypeNotSupported)
        default:
            let nameEnd = 5 + Int(received[4])
            guard received.count == nameEnd + 2 else { return nil }
            guard ASCII.equalsIgnoringCase(received[5..<nameEnd], Self.host), received[nameEnd...] == [0, 80] else {
                return refused(.notAllowed)
            }
            return .connected(reply: Reply.succeeded.bytes)
        }
    }
}
