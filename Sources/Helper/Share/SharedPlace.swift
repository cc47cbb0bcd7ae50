package import CredentialCore

/// A place that shares a sign-in: a container, a virtual machine or an SSH host, and what it may have.
///
/// The person decides all of it, on the command line or in their own configuration; the place itself has no say.
package struct SharedPlace: Equatable {
    /// Its name, which is also the name of its directory.
    package let name: PlaceName
    /// How it reaches the socket.
    package let kind: Kind
    /// The hosts whose credential it may have, and nothing but these.
    package let hosts: [Host]
    /// When the person is asked.
    package let confirmation: Confirmation
    /// Whether it may have tokens and passwords that do not expire.
    package let isLongLived: Bool

    /// How a place reaches the socket; a word for people, and the reason for what is asked by default.
    package enum Kind: Equatable, Sendable {
        /// The person has mounted the directory.
        case directory
        /// ssh forwards the socket to that host.
        case ssh(destination: String)
    }

    /// When the person is asked.
    package enum Confirmation: String, CaseIterable, Sendable {
        /// Never: whoever mounts a directory by hand has decided already.
        case never
        /// Once, until the screen is locked, for eight hours at most.
        case once
        /// For each request.
        case each
    }

    /// A host, and the only account of it that the place may have.
    package struct Host: Equatable {
        /// The host to the byte, as a request has to name it.
        package let name: [UInt8]
        /// The account; nil for the one that a request without a name gets.
        package let username: [UInt8]?

        package init(_ name: HostName, username: [UInt8]?) {
            // What git sends for the usual URL; any other spelling is not this host.
            self.name = name.canonicalForHTTPS.text
            self.username = username
        }
    }

    package init(
        name: PlaceName, kind: Kind, hosts: [Host], confirmation: Confirmation? = nil, isLongLived: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.hosts = hosts
        self.confirmation = confirmation ?? (kind == .directory ? .never : .once)
        self.isLongLived = isLongLived
    }

    /// The host of that very name, if the place may have its credential.
    func host(named name: [UInt8]) -> Host? { hosts.first { $0.name == name } }
}

/// The name of a place, fit for a directory, a unit of systemd and a section of git's configuration.
package struct PlaceName: Hashable, Sendable {
    /// Nothing in it needs quoting, in a shell or elsewhere.
    package let text: String

    /// A name as a person types it; nil if it is none.
    ///
    /// It has letters, digits, `.`, `_` and `-`, begins with one of the first two, and is no word of ours. The socket's
    /// path has to hold it (unix(7) has room for 108 bytes).
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.longest).contains(bytes.count), let first = bytes.first, ASCII.isLetterOrDigit(first),
            bytes.allSatisfy({ ASCII.isLetterOrDigit($0) || [0x2e, 0x5f, 0x2d].contains($0) }),
            !Self.reserved.contains(text)
        else { return nil }
        self.text = text
    }

    /// The name of the place that an SSH destination stands for: `ssh-` and what can stand in a name.
    package init(forDestination destination: String) {
        let fit = destination.utf8.map { ASCII.isLetterOrDigit($0) || $0 == 0x2e ? $0 : 0x2d }
        text = "ssh-" + String(decoding: fit.suffix(Self.longest - 4), as: UTF8.self)
    }

    private static let longest = 32
    private static let reserved = ["list", "stop", "ssh"]
}
