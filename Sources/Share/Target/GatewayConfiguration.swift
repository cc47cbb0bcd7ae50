internal import CredentialCore

/// git's configuration in a place, by which its requests come to a gateway.
///
/// Written for any git since 2.31 whose libcurl is 7.84 or later: such a libcurl takes a socket's path for the name of a
/// SOCKS proxy, and git before 2.47 keeps of a proxy's address nothing behind its name, but decodes that.
enum GatewayConfiguration {
    /// The name of its file, beside the socket.
    static let file = "gitconfig"

    /// The lines for the hosts of a target whose socket is in that folder, as the place sees it.
    static func lines(for target: ShareTarget, in folder: String) -> [String] {
        let socket = PercentEncoding.encoded("\(folder)/socket".utf8) { ASCII.isPlain([$0], with: "._-") }
        let gateway = "http://\(SOCKSHandshake.host)"
        var lines = [
            "# Written by git credential-gitspace share; git here has neither a token nor needs a network.",
            "[http \"\(gateway)\"]", "\tproxy = socks5h://localhost\(String(decoding: socket, as: UTF8.self))",
            // No helper there is asked.
            "[credential \"\(gateway)\"]", "\thelper =",
        ]
        for host in target.hosts.compactMap({ HostName($0.name) }) {
            let (authority, name) = (
                String(decoding: host.text, as: UTF8.self), String(decoding: host.name, as: UTF8.self)
            )
            lines += [
                "[url \"\(gateway)/\(authority)/\"]", "\tinsteadOf = https://\(authority)/",
                // The port is that of https.
                "\tinsteadOf = git@\(name):", "\tinsteadOf = ssh://git@\(name)/",
            ]
        }
        return lines
    }
}
