package import CredentialCore

/// The person decides all of it, on the command line or in their own configuration; the place itself has no say.
package struct ShareTarget: Equatable {
    /// Also the name of its directory.
    package let name: PlaceName
    package let kind: Kind
    /// The place may have the credential of nothing but these.
    package let hosts: [Host]
    package let confirmation: Confirmation
    /// The place may have tokens and passwords that do not expire.
    package let isLongLived: Bool
    /// The only repository that its token reaches, a token of its own; nil if it may have the person's.
    package let limit: RepositoryLimit?

    /// How it reaches the socket; a word for people, and the reason for what is asked by default.
    package enum Kind: Equatable, Sendable {
        /// The person has mounted it.
        case directory
        /// ssh forwards the socket there.
        case ssh(destination: String)
    }

    package enum Confirmation: String, CaseIterable, Sendable {
        /// Whoever mounts a directory by hand has decided already.
        case never
        /// Once, until the screen is locked, for eight hours at most.
        case once
        case each
    }

    /// With the only account that the place may have.
    package struct Host: Equatable {
        /// To the byte, as a request has to name it.
        package let name: [UInt8]
        /// Nil for the account that a request without a name gets.
        package let username: [UInt8]?

        package init(_ name: HostName, username: [UInt8]?) {
            // What git sends for the usual URL; any other spelling is not this host.
            self.name = name.canonicalForHTTPS.text
            self.username = username
        }

        fileprivate init(_ host: Host, username: [UInt8]) {
            name = host.name
            self.username = username
        }
    }

    package init(
        name: PlaceName, kind: Kind, hosts: [Host], confirmation: Confirmation? = nil, isLongLived: Bool = false,
        limit: RepositoryLimit? = nil
    ) {
        self.name = name
        self.kind = kind
        self.hosts = hosts
        self.confirmation = confirmation ?? (kind == .directory ? .never : .once)
        self.isLongLived = isLongLived
        self.limit = limit
    }

    /// With the account whose token was got for it.
    package func with(username: [UInt8]) -> ShareTarget {
        ShareTarget(
            name: name, kind: kind, hosts: hosts.map { Host($0, username: username) }, confirmation: confirmation,
            isLongLived: isLongLived, limit: limit)
    }

    func host(named name: [UInt8]) -> Host? { hosts.first { $0.name == name } }
}

/// Fit for a directory, a unit of systemd and a section of git's configuration.
package struct PlaceName: Hashable, Sendable {
    /// Nothing in it needs quoting, in a shell or elsewhere.
    package let text: String

    /// Nil if a person typed no name.
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

    /// `ssh-` and what can stand in a name.
    package init(forDestination destination: String) {
        let fit = destination.utf8.map { ASCII.isLetterOrDigit($0) || $0 == 0x2e ? $0 : 0x2d }
        text = "ssh-" + String(decoding: fit.suffix(Self.longest - 4), as: UTF8.self)
    }

    private static let longest = 32
    private static let reserved = ["list", "stop", "ssh"]
}

/// `git credential-cache --socket PATH` sends a line with the action, one with a time, and what it has read from git
/// (builtin/credential-cache.c in git).
///
/// So an unmodified git is a client.
package struct ShareRequest {
    package let action: Action
    /// Checked as every request.
    package let request: Request

    /// `exit`, with which git ends its own cache, means nothing here.
    package enum Action: String, CaseIterable {
        case get
        case store
        case erase
    }

    /// In bytes; an honest request has some hundreds.
    package static let longest = 8_192

    /// Nil for anything else: a place that does not follow the protocol is not answered.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.longest else { return nil }
        var rest = bytes[...]
        guard let action = Self.take("action=", from: &rest), let timeout = Self.take("timeout=", from: &rest),
            let known = Action.allCases.first(where: { $0.rawValue.utf8.elementsEqual(action) }),
            // How long a cache keeps what it stores, which is nothing here.
            DecimalNumber.parse(timeout) != nil, let request = try? Request(parsing: Array(rest))
        else { return nil }
        self.action = known
        self.request = request
    }

    /// Returns what stands behind the key.
    private static func take(_ key: StaticString, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let key = Array(key.description.utf8)
        guard rest.starts(with: key), let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end].dropFirst(key.count)
    }
}

/// Of a place while it is shared: for `share list` and `share stop`, and never for the place.
package struct ShareRecord: Equatable {
    package var kind = ShareTarget.Kind.directory
    package var confirmation = ShareTarget.Confirmation.never
    /// Those that it may ask for.
    package var hosts: [[UInt8]] = []
    /// The only one that its token reaches, and whether it may push there.
    package var limit: RepositoryLimit?
    /// Seconds since 1970.
    package var since: Int64 = 0
    /// Seconds since 1970; nil if until it is stopped.
    package var end: Int64?
    /// Requests that got a credential.
    package var uses = 0
    /// Seconds since 1970; nil if none got one.
    package var lastUse: Int64?
    /// Their credentials were handed out.
    package var given: [Account] = []
    package var lastRefusal: Refusal?

    package struct Refusal: Equatable {
        /// Seconds since 1970.
        package let time: Int64
        package let why: ShareRefusal

        package init(time: Int64, why: ShareRefusal) {
            self.time = time
            self.why = why
        }
    }

    package struct Account: Equatable {
        /// As git named it in the request.
        package let host: [UInt8]
        /// As it was answered.
        package let username: [UInt8]

        package init(host: [UInt8], username: [UInt8]) {
            self.host = host
            self.username = username
        }
    }

    package init() {}

    package mutating func note(_ account: Account, now: Int64) {
        uses += 1
        lastUse = now
        // A token of its own ends with the share, and the person's is not touched for it.
        if limit == nil, !given.contains(account) { given.append(account) }
    }

    /// Lines that are not ours are skipped.
    package init(parsing text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = line[(equals + 1)...]
            switch String(decoding: line[..<equals], as: UTF8.self) {
            case "ssh": kind = .ssh(destination: String(decoding: value, as: UTF8.self))
            case "confirm":
                confirmation = ShareTarget.Confirmation(rawValue: String(decoding: value, as: UTF8.self)) ?? .never
            case "host": hosts.append(Array(value))
            case "limit": limit = RepositoryLimit(object: Array(value))
            case "since": since = DecimalNumber.parse(value) ?? 0
            case "end": end = DecimalNumber.parse(value)
            case "uses": uses = DecimalNumber.parse(value).map { Int($0) } ?? 0
            case "last": lastUse = DecimalNumber.parse(value)
            case "refused":
                guard let space = value.firstIndex(of: UInt8(ascii: " ")),
                    let time = DecimalNumber.parse(value[..<space]),
                    let why = ShareRefusal(code: String(decoding: value[(space + 1)...], as: UTF8.self))
                else { continue }
                lastRefusal = Refusal(time: time, why: why)
            case "given":
                guard let space = value.firstIndex(of: UInt8(ascii: " ")) else { continue }
                given.append(Account(host: Array(value[..<space]), username: Array(value[(space + 1)...])))
            default: continue
            }
        }
    }

    package var text: [UInt8] {
        var text: [UInt8] = []
        func add(_ key: String, _ value: [UInt8]) { text += Array("\(key)=".utf8) + value + [0x0a] }
        func add(_ key: String, _ value: Int64?) { if let value { add(key, Array(String(value).utf8)) } }
        if case .ssh(let destination) = kind { add("ssh", Array(destination.utf8)) }
        add("confirm", Array(confirmation.rawValue.utf8))
        for host in hosts { add("host", host) }
        if let limit { add("limit", limit.object) }
        add("since", since)
        add("end", end)
        add("uses", Int64(uses))
        add("last", lastUse)
        if let lastRefusal { add("refused", Array("\(lastRefusal.time) \(lastRefusal.why.code)".utf8)) }
        // A host has no space in it.
        for account in given { add("given", account.host + [0x20] + account.username) }
        return text
    }
}
