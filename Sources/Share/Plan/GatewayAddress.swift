internal import CredentialCore
internal import Providers

/// git's configuration in a place, by which its requests come to a gateway.
///
/// Written for any git since 2.31 whose libcurl is 7.84 or later: such a libcurl takes a socket's path for the name of a
/// SOCKS proxy, and git before 2.47 keeps of a proxy's address nothing behind its name, but decodes that.
extension SharePlan {
    /// The name of its file, beside the socket.
    static let configurationFile = "gitconfig"

    /// The lines for what the place may reach, none if it gets the token; the folder of its socket is as the place sees it.
    func gatewayConfiguration(in folder: String) -> [String] {
        guard let policy = access.gateway else { return [] }
        let gateway = Self.gateway
        let socket = PercentEncoding.encoded("\(folder)/socket".utf8) { ASCII.isPlain([$0], with: "._-") }
        let lines = [
            "# Written by git credential-gitspace share; git here has neither a token nor needs a network.",
            "[http \"\(gateway)\"]", "\tproxy = socks5h://localhost\(String(decoding: socket, as: UTF8.self))",
            // No helper there is asked.
            "[credential \"\(gateway)\"]", "\thelper =",
            // Git LFS does not come through, and a checkout would wait for it.
            "# Files in Git LFS stay pointers: where it is shared, run git lfs pull, or share with --token.",
            "[lfs]", "\tfetchexclude = *",
        ]
        switch policy.scope {
        case .repositories(let repositories): return lines + repositories.flatMap(rewriting)
        case .hosts: return lines + hosts.flatMap(Self.rewriting)
        }
    }

    private static let gateway = "http://\(SOCKSHandshake.host)"

    /// What may come next in a name.
    private static let nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"

    /// Leads every repository of a host to the gateway.
    ///
    /// git takes the longest prefix, and the first of equal ones, which may be the place's own: a further character makes
    /// ours longer.
    private static func rewriting(_ host: SharePlan.Host) -> [String] {
        guard let name = HostName(host.name) else { return [] }
        let base = "\(gateway)/\(String(decoding: name.text, as: UTF8.self))/"
        return ([""] + nameCharacters.map(String.init))
            .flatMap { start in rewriting(origins(of: name, host.username).map { $0 + start }, to: base + start) }
    }

    /// Leads one repository to the gateway, with or without `.git`, and none whose name only begins like it: of two
    /// spellings, which are enough for public repositories, and git looks through all of them.
    private func rewriting(_ repository: RepositoryName) -> [String] {
        let username = host(named: repository.host.text)?.username
        let base = "\(Self.gateway)/\(String(decoding: repository.host.text, as: UTF8.self))/\(repository.path)"
        let plain = PercentEncoding.decoded(repository.path.utf8).map { String(decoding: $0, as: UTF8.self) }
        let paths =
            [repository.path] + [plain].compactMap(\.self).filter { $0 != repository.path && !$0.contains(" ") }
        func addresses(_ origins: [String]) -> [String] { origins.flatMap { origin in paths.map { origin + $0 } } }
        let shared = addresses(Self.origins(of: repository.host, username))
        let others = addresses(Array(Self.origins(of: repository.host, nil).prefix(2)))
        return ["", RepositoryPath.suffix].flatMap { end in Self.rewriting(shared.map { $0 + end }, to: base + end) }
            + others.flatMap { other in
                Self.nameCharacters.flatMap { Self.rewriting(["\(other)\($0)"], to: "\(other)\($0)") }
            }
    }

    /// The beginnings of a host's addresses: of the web, of ssh, and of the web with an account; the port is https's.
    private static func origins(of host: HostName, _ username: [UInt8]?) -> [String] {
        let authority = String(decoding: host.text, as: UTF8.self)
        let ssh = String(decoding: host.name, as: UTF8.self)
        let account = username.map { PercentEncoding.encoded($0) { ASCII.isPlain([$0], with: "-._~") } }
        return ["https://\(authority)/", "git@\(ssh):", "ssh://git@\(ssh)/"]
            + (account.map { ["https://\(String(decoding: $0, as: UTF8.self))@\(authority)/"] } ?? [])
    }

    /// git-config(1), `url.<base>.insteadOf` and `pushInsteadOf`: either may be in the place's own configuration.
    private static func rewriting(_ addresses: [String], to base: String) -> [String] {
        ["[url \"\(base)\"]"] + addresses.flatMap { ["\tinsteadOf = \($0)", "\tpushInsteadOf = \($0)"] }
    }
}

/// The two messages with which libcurl opens a connection through a SOCKS proxy (RFC 1928, 3 and 4).
///
/// There is one place to go: `gitspace.invalid`, port 80, without authentication.
package struct SOCKSHandshake {
    package enum Step: Equatable {
        case needsMore
        /// To be sent; the CONNECT request follows.
        case chosen(reply: [UInt8])
        /// To be sent; HTTP follows.
        case connected(reply: [UInt8])
        /// To be sent before the connection is closed; empty for what is not SOCKS 5.
        case refused(reply: [UInt8])
    }

    /// RFC 1928, 6.
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
    /// Of the message that is being read: at most 262.
    private var received: [UInt8] = []

    package init() {}

    /// Takes bytes up to the end of a message; to be called again after `chosen`.
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

    /// Version, the number of methods, the methods; nil if it is not complete.
    private var choosing: Step? {
        guard received[0] == 5 else { return .refused(reply: []) }
        guard received.count >= 2, received.count == 2 + Int(received[1]) else { return nil }
        return received[2...].contains(0) ? .chosen(reply: [5, 0]) : .refused(reply: [5, 0xff])
    }

    /// Version, command, a zero, the type of the address, the length of the name, the name, the port.
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
