internal import CredentialCore

/// What is written down about a place while it is shared: for `share list` and `share stop`, and never for the place.
package struct ShareRecord: Equatable {
    /// How it reaches the socket.
    package var kind = SharedPlace.Kind.directory
    /// When the person is asked.
    package var confirmation = SharedPlace.Confirmation.never
    /// The hosts that it may ask for.
    package var hosts: [[UInt8]] = []
    /// Since when, in seconds since 1970.
    package var since: Int64 = 0
    /// Until when at the latest, in seconds since 1970; nil if until it is stopped.
    package var end: Int64?
    /// How many requests got a credential.
    package var uses = 0
    /// When the last one did, in seconds since 1970; nil if none has.
    package var lastUse: Int64?
    /// Whose credentials were handed out.
    package var given: [Account] = []

    /// An account of a host.
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

    /// Notes that a credential was handed out.
    package mutating func note(_ account: Account, now: Int64) {
        uses += 1
        lastUse = now
        if !given.contains(account) { given.append(account) }
    }

    /// Reads a record; lines that are not ours are skipped.
    package init(parsing text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = line[(equals + 1)...]
            switch String(decoding: line[..<equals], as: UTF8.self) {
            case "ssh": kind = .ssh(destination: String(decoding: value, as: UTF8.self))
            case "confirm":
                confirmation = SharedPlace.Confirmation(rawValue: String(decoding: value, as: UTF8.self)) ?? .never
            case "host": hosts.append(Array(value))
            case "since": since = DecimalNumber.parse(value) ?? 0
            case "end": end = DecimalNumber.parse(value)
            case "uses": uses = DecimalNumber.parse(value).map { Int($0) } ?? 0
            case "last": lastUse = DecimalNumber.parse(value)
            case "given":
                guard let space = value.firstIndex(of: UInt8(ascii: " ")) else { continue }
                given.append(Account(host: Array(value[..<space]), username: Array(value[(space + 1)...])))
            default: continue
            }
        }
    }

    /// The record as it is written.
    package var text: [UInt8] {
        var text: [UInt8] = []
        func add(_ key: String, _ value: [UInt8]) { text += Array("\(key)=".utf8) + value + [0x0a] }
        func add(_ key: String, _ value: Int64?) { if let value { add(key, Array(String(value).utf8)) } }
        if case .ssh(let destination) = kind { add("ssh", Array(destination.utf8)) }
        add("confirm", Array(confirmation.rawValue.utf8))
        for host in hosts { add("host", host) }
        add("since", since)
        add("end", end)
        add("uses", Int64(uses))
        add("last", lastUse)
        // A host has no space in it.
        for account in given { add("given", account.host + [0x20] + account.username) }
        return text
    }
}
