package import CredentialCore
internal import Providers

/// The state of a share, for `share list` and `share stop`; not visible to the target.
package struct ShareRecord: Equatable {
    package var kind = SharePlan.Kind.directory
    package var confirmation = SharePlan.Confirmation.never
    package var hosts: [[UInt8]] = []
    /// The policy of a gateway, which gives no token away.
    package var gateway: GatewayPolicy?
    /// The last pushes through a gateway, newest first.
    package private(set) var pushes: [Pushed] = []
    /// The last pull requests, newest first.
    package private(set) var opened: [Opened] = []
    /// The pushes that have begun; uncertain until they end.
    package private(set) var pending: [Pushed] = []
    /// Seconds since 1970.
    package var since: Int64 = 0
    /// Seconds since 1970, or `nil` if the share runs until it is stopped.
    package var end: Int64?
    /// Requests that got a token, or fetches and pushes of a gateway.
    package var uses = 0
    /// Seconds since 1970, or `nil` if there was no use.
    package var lastUse: Int64?
    /// The accounts whose credentials were handed out.
    package var given: [Account] = []
    package private(set) var refusals = 0
    package var lastRefusal: Refusal?

    package struct Refusal: Equatable {
        /// Seconds since 1970.
        package let time: Int64
        package let why: ShareRefusal
        /// The repository, or `nil` if a token was refused.
        package var repository: DisplayText?
        /// The refs of a push, or `nil` for other requests.
        package var refs: DisplayText?
    }

    package struct Pushed: Equatable {
        package enum Change: String {
            case changed
            case deleted
            /// The host may have accepted the push.
            case uncertain
        }

        /// Seconds since 1970.
        package let time: Int64
        package let change: Change
        package let repository: DisplayText
        package let refs: DisplayText
    }

    package struct Opened: Equatable {
        /// Seconds since 1970.
        package let time: Int64
        package let number: Int64
        package let page: DisplayText
    }

    package struct Account: Equatable {
        /// The host as named in the request.
        package let host: [UInt8]
        /// The account name in the answer.
        package let username: [UInt8]

        var shownHost: DisplayText { DisplayText(untrusted: host) }
        var shownName: DisplayText { DisplayText(account: username) }
    }

    package init() {}

    init(of plan: SharePlan, since now: Int64, after last: ShareRecord?) {
        kind = plan.kind
        confirmation = plan.confirmation
        hosts = plan.hosts.map(\.name)
        gateway = plan.access.gateway
        since = now
        end = plan.end?.time
        // The tokens of the last process still exist, and its pending pushes are uncertain.
        guard let last else { return }
        given = last.given
        opened = last.opened
        pushes = Array((last.pending + last.pushes).prefix(Self.mostPushes))
    }

    package mutating func note(_ event: ShareEvent, now: Int64) {
        switch event {
        case .given(let account, _):
            uses += 1
            lastUse = now
            if !given.contains(account) { given.append(account) }
        case .refused(let why, _, _): refuse(Refusal(time: now, why: why))
        case .begun(let intention):
            lastUse = now
            // git begins each fetch and push with one discovery.
            if intention.step == .discovery { uses += 1 }
            let repository = intention.repository.name(under: gateway)
            if intention.isPush { pending += intention.pushed(nil, repository, now: now) }
        case .ended(let intention, let outcome):
            guard intention.isPush else { return }
            let (refs, repository) = (intention.names, intention.repository.name(under: gateway))
            if let index = pending.firstIndex(where: { $0.refs == refs && $0.repository == repository }) {
                pending.remove(at: index)
            }
            pushes = Array((intention.pushed(outcome, repository, now: now) + pushes).prefix(Self.mostPushes))
        case .refusedRequest(let intention, let why):
            let repository = intention.repository.name(under: gateway)
            let refs = intention.isPush ? intention.names : nil
            refuse(Refusal(time: now, why: why, repository: repository, refs: refs))
        case .pullRequest(_, .opened(let new)):
            let entry = Opened(time: now, number: new.number, page: "\(new.page)")
            opened = Array(([entry] + opened).prefix(ShareCredentials.mostInAnHour))
        case .turnedAway: refusals += 1
        case .replaced, .pullRequest, .flush: break
        }
    }

    private mutating func refuse(_ refusal: Refusal) {
        refusals += 1
        lastRefusal = refusal
    }

    private static let mostPushes = 5

    /// Parses a record, and skips unknown lines.
    package init(parsing text: [UInt8]) {
        var order: [UInt8] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = line[(equals + 1)...]
            switch String(decoding: line[..<equals], as: UTF8.self) {
            case "ssh": kind = .ssh(destination: String(decoding: value, as: UTF8.self))
            case "confirm":
                confirmation = SharePlan.Confirmation(rawValue: String(decoding: value, as: UTF8.self)) ?? .never
            case "host": hosts.append(Array(value))
            case "gateway": order += value + [0x0a]
            case "push": if let push = Pushed(parsing: value) { pushes.append(push) }
            case "opened": if let entry = Opened(parsing: value) { opened.append(entry) }
            case "pending": if let push = Pushed(pending: value) { pending.append(push) }
            case "since": since = DecimalNumber.parse(value) ?? 0
            case "end": end = DecimalNumber.parse(value)
            case "uses": uses = DecimalNumber.parse(value).map { Int($0) } ?? 0
            case "last": lastUse = DecimalNumber.parse(value)
            case "refusals": refusals = DecimalNumber.parse(value).map { Int($0) } ?? 0
            case "refused": if let refusal = Refusal(parsing: value) { lastRefusal = refusal }
            case "given":
                guard let space = value.firstIndex(of: UInt8(ascii: " ")) else { continue }
                given.append(Account(host: Array(value[..<space]), username: Array(value[(space + 1)...])))
            default: continue
            }
        }
        gateway = GatewayPolicy(parsing: order)
    }

    package var text: [UInt8] {
        var text: [UInt8] = []
        func add(_ key: String, _ value: [UInt8]) { text += Array("\(key)=".utf8) + value + [0x0a] }
        func add(_ key: String, _ value: Int64?) { if let value { add(key, Array(String(value).utf8)) } }
        if case .ssh(let destination) = kind { add("ssh", Array(destination.utf8)) }
        add("confirm", Array(confirmation.rawValue.utf8))
        for host in hosts { add("host", host) }
        if let gateway {
            for line in gateway.encoded.split(separator: 0x0a) { add("gateway", Array(line)) }
        }
        for push in pushes { add("push", push.encoded(isPending: false)) }
        for push in pending { add("pending", push.encoded(isPending: true)) }
        for entry in opened { add("opened", Array("\(entry.time) \(entry.number) \(entry.page)".utf8)) }
        add("since", since)
        add("end", end)
        add("uses", Int64(uses))
        add("last", lastUse)
        add("refusals", Int64(refusals))
        if let lastRefusal { add("refused", lastRefusal.encoded) }
        // A host contains no space.
        for account in given { add("given", account.host + [0x20] + account.username) }
        return text
    }

    fileprivate static func words(_ text: ArraySlice<UInt8>, _ count: Int) -> [String] {
        text.split(separator: UInt8(ascii: " "), maxSplits: count - 1).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension GatewayIntention {
    /// The refs that the host may have accepted, in one entry for each change.
    fileprivate func pushed(_ outcome: GatewayOutcome?, _ repository: DisplayText, now: Int64) -> [ShareRecord.Pushed] {
        let changes: [(change: ShareRecord.Pushed.Change, names: DisplayText?)]
        switch outcome {
        case .failed, .clientGone(hasBegun: false), .unauthorized: return []
        case .reported(let result):
            let deleted = zip(commands, result.marks).filter { $0.1 == .accepted && $0.0.change == .deleted }
            changes = [
                (.changed, refs(.accepted, in: result) { $0.change != .deleted }),
                (.deleted, deleted.isEmpty ? nil : deleted.map(\.0.displayName).joined(separator: ", ")),
                (.uncertain, refs(.unknown, in: result)),
            ]
        default: changes = [(.uncertain, names)]
        }
        return changes.compactMap { change, names in
            names.map { ShareRecord.Pushed(time: now, change: change, repository: repository, refs: $0) }
        }
    }
}

/// Encoded as words separated by blanks; the last may contain blanks itself.
extension ShareRecord.Pushed {
    /// The words of a line; a pending push is always uncertain, and earlier versions read its line without a change.
    ///
    /// The line of a repository with the name of the change has it all the same, since its name would be read as one.
    fileprivate func encoded(isPending: Bool) -> [UInt8] {
        let word = isPending && repository.text != change.rawValue ? "" : " \(change.rawValue)"
        return Array("\(time)\(word) \(repository) \(refs)".utf8)
    }

    /// Reads a pending push, with or without its change.
    fileprivate init?(pending text: ArraySlice<UInt8>) {
        let words = ShareRecord.words(text, 2)
        guard words.count == 2 else { return nil }
        let longer = Array("\(words[0]) \(Change.uncertain.rawValue) \(words[1])".utf8)[...]
        let pushes = [Self(parsing: text), Self(parsing: longer)].compactMap(\.self)
        guard let push = pushes.first(where: { $0.change == .uncertain }) else { return nil }
        self = push
    }

    fileprivate init?(parsing text: ArraySlice<UInt8>) {
        let words = ShareRecord.words(text, 4)
        guard words.count == 4, let time = DecimalNumber.parse(words[0].utf8), let change = Change(rawValue: words[1])
        else { return nil }
        self.init(
            time: time, change: change, repository: DisplayText(trusted: words[2]), refs: DisplayText(trusted: words[3])
        )
    }
}

extension ShareRecord.Opened {
    fileprivate init?(parsing text: ArraySlice<UInt8>) {
        let words = ShareRecord.words(text, 3)
        guard words.count == 3, let time = DecimalNumber.parse(words[0].utf8),
            let number = DecimalNumber.parse(words[1].utf8)
        else { return nil }
        self.init(time: time, number: number, page: DisplayText(trusted: words[2]))
    }
}

extension ShareRecord.Refusal {
    fileprivate var encoded: [UInt8] {
        let subject = [repository, refs].compactMap { $0.map { " \($0)" } }
        return Array("\(time) \(why.code)\(subject.joined())".utf8)
    }

    fileprivate init?(parsing text: ArraySlice<UInt8>) {
        let words = ShareRecord.words(text, 4)
        guard words.count >= 2, let time = DecimalNumber.parse(words[0].utf8), let why = ShareRefusal(code: words[1])
        else { return nil }
        self.init(
            time: time, why: why, repository: words.count > 2 ? DisplayText(trusted: words[2]) : nil,
            refs: words.count > 3 ? DisplayText(trusted: words[3]) : nil)
    }
}
