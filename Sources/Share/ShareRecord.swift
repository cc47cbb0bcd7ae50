package import CredentialCore

/// The state of a share, for `share list` and `share stop`: the target never sees it.
package struct ShareRecord: Equatable {
    package var kind = ShareTarget.Kind.directory
    package var confirmation = ShareTarget.Confirmation.never
    /// Those that it may ask for.
    package var hosts: [[UInt8]] = []
    /// Of a gateway, which gives no token away.
    package var gateway: GatewayPolicy?
    /// The last ones through a gateway, the newest first.
    package private(set) var pushes: [Pushed] = []
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

    package struct Pushed: Equatable {
        /// Seconds since 1970.
        package let time: Int64
        package let repository: DisplayText
        package let ref: GatewayMessage.PushedRef
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
        if gateway == nil, !given.contains(account) { given.append(account) }
    }

    package mutating func note(_ message: GatewayMessage, now: Int64) {
        guard case .pushed(let repository, let refs) = message else { return }
        pushes = Array(
            (refs.map { Pushed(time: now, repository: repository, ref: $0) } + pushes).prefix(Self.mostPushes))
    }

    private static let mostPushes = 5

    /// Lines that are not ours are skipped.
    package init(parsing text: [UInt8]) {
        var order: [UInt8] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = line[(equals + 1)...]
            switch String(decoding: line[..<equals], as: UTF8.self) {
            case "ssh": kind = .ssh(destination: String(decoding: value, as: UTF8.self))
            case "confirm":
                confirmation = ShareTarget.Confirmation(rawValue: String(decoding: value, as: UTF8.self)) ?? .never
            case "host": hosts.append(Array(value))
            case "gateway": order += value + [0x0a]
            case "push": if let push = Pushed(parsing: value) { pushes.append(push) }
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
        gateway = GatewayOrder.parse(order)
    }

    package var text: [UInt8] {
        var text: [UInt8] = []
        func add(_ key: String, _ value: [UInt8]) { text += Array("\(key)=".utf8) + value + [0x0a] }
        func add(_ key: String, _ value: Int64?) { if let value { add(key, Array(String(value).utf8)) } }
        if case .ssh(let destination) = kind { add("ssh", Array(destination.utf8)) }
        add("confirm", Array(confirmation.rawValue.utf8))
        for host in hosts { add("host", host) }
        if let gateway {
            for line in GatewayOrder.encoded(gateway).split(separator: 0x0a) { add("gateway", Array(line)) }
        }
        for push in pushes { add("push", push.encoded) }
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

extension ShareRecord.Pushed {
    fileprivate var encoded: [UInt8] { Array("\(time) \(repository) \(ref.line)".utf8) }

    fileprivate init?(parsing text: ArraySlice<UInt8>) {
        let words = text.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count == 3, let time = DecimalNumber.parse(words[0]),
            let ref = GatewayMessage.PushedRef(parsing: words[2])
        else { return nil }
        self.init(time: time, repository: DisplayText(untrusted: words[1]), ref: ref)
    }
}
