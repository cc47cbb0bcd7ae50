import CredentialCore
import FuzzSupport

@testable import Share

func checkReport(_ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>]) {
    for capabilities in ["report-status", "report-status side-band-64k"] {
        let zero = String(repeating: "0", count: 40)
        let command = Array("\(zero) \(zero.dropLast())1 refs/heads/x\u{0} \(capabilities)".utf8)
        var start = (PacketLine.packet(command) + PacketLine.flush)[...]
        var reader = PushReader()
        guard let push = try? reader.take(&start) else { return require(false, "a push of ours is none") }
        var (whole, cut) = (PushReport(for: push), PushReport(for: push))
        bytes.withUnsafeBytes { whole.take($0) }
        for piece in pieces { piece.withUnsafeBytes { cut.take($0) } }
        require(whole.result == cut.result, "a cut makes another report")
    }
}

/// Checks that what a host announces is the same however it is cut, and has one more word at most.
func checkAdvertisement(_ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>]) {
    func passed(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
        var advertisement = PushAdvertisement()
        let passed = pieces.flatMap { advertisement.take($0) }
        return passed + advertisement.held
    }
    let whole = passed([bytes[...]])
    require(whole == passed(pieces), "a cut makes another advertisement")
    require([0, " push-options".utf8.count].contains(whole.count - bytes.count), "more than a word")
}

func checkPush(_ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>]) {
    func read(_ pieces: [ArraySlice<UInt8>]) -> (value: Push?, count: Int, refusal: HTTPRefusal?) {
        var reader = PushReader()
        let read = outcome(pieces) { (rest: inout ArraySlice<UInt8>) throws(HTTPRefusal) in try reader.take(&rest) }
        guard read.value == nil, read.refusal == nil else { return read }
        do throws(HTTPRefusal) { return (try reader.finish(), read.count, nil) } catch { return (nil, 0, error) }
    }
    let whole = read([bytes[...]])
    require(whole == read(pieces), "a cut makes another push")
    guard let push = whole.value else { return }
    require(push.bytes.elementsEqual(bytes.prefix(whole.count)), "other bytes than those that came")
    let policy = GatewayPolicy(
        .hosts([]), branches: ["agent/*", "wip"].compactMap { BranchPattern($0) }, opensPullRequests: true)
    guard let refusal = policy.refusal(of: push) else {
        let passed =
            push.capabilities.contains(.pushOptions) && !push.commands.isEmpty ? push.withoutOptions : push.bytes
        let host = HostReading(passed)
        require(host.count == passed.count, "the host reads on")
        require(!host.isSigned && (host.refs.isEmpty || !host.hasOptions), "the host reads more than commands")
        checkOptions(push, policy, host)
        require(
            host.refs.allSatisfy {
                $0.starts(with: "refs/heads/agent/".utf8) || $0.elementsEqual("refs/heads/wip".utf8)
            }, "another branch")
        require(host.refs.allSatisfy { $0.allSatisfy { $0 > 0x20 } && $0.firstRange(of: "..".utf8) == nil }, "odd")
        return
    }
    require(!push.commands.isEmpty, "nothing is refused")
    checkReport(refusal, push)
}

/// Checks that a push asks for a pull request of one branch, by the five options and nothing else.
private func checkOptions(_ push: Push, _ policy: GatewayPolicy, _ host: HostReading) {
    guard let options = try? policy.pullRequest(of: push) else { return require(push.options.isEmpty, "lost options") }
    require(host.refs.count == 1 && push.commands[0].change != .deleted, "several refs, or none")
    for option in push.options {
        let words = option.prefix { $0 != 0x3d }.split(separator: 0x2e, omittingEmptySubsequences: false)
        let names = words.map { String(decoding: $0, as: UTF8.self) }
        require(
            names.count == 2 && ["merge_request", "mr", "pull_request"].contains(names[0])
                && ["create", "target", "title", "description", "draft"].contains(names[1]), "another option")
        require(option.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "a control byte")
    }
    require((options.title ?? "x").unicodeScalars.count <= 256 && options.title != "", "a title of another length")
    require(options.description.utf8.count <= 65_536, "a long description")
    require((try? PullRequestOptions(options.encoded.map { $0[...] })) == options, "options that change")
}

/// The commands of a push as git's receive-pack reads them.
///
/// It accepts more than the gateway does: capabilities on every line, certificates anywhere.
private struct HostReading {
    var count = 0
    var refs: [ArraySlice<UInt8>] = []
    var isSigned = false
    var hasOptions = false

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let length = Int(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16), length >= 4 {
            var line = rest.prefix(length).dropFirst(4)
            rest = rest.dropFirst(length)
            if line.last == 0x0a { line.removeLast() }
            let text = line.prefix { $0 != 0 }
            let features = line[text.endIndex...].split { $0 == 0 || $0 == 0x20 || (9...13).contains($0) }
            let options = Array("push-options".utf8)
            hasOptions = hasOptions || features.contains { $0.prefix { $0 != 0x3d }.elementsEqual(options) }
            if text.elementsEqual("push-cert".utf8) { isSigned = true }
            guard !text.starts(with: "shallow ".utf8) else { continue }
            let parts = text.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
            refs.append(parts.count == 3 ? parts[2] : [])
        }
        count = bytes.count - rest.count + 4
    }
}

/// Checks that git can read the refusal, which names each ref once.
private func checkReport(_ refusal: PushRefusal, _ push: Push) {
    let response = refusal.response
    guard push.capabilities.contains(.reportStatus) else {
        require(response.status == 403, "a success that nobody reads")
        return
    }
    guard let body = response.body else { fatalError("an answer without a body") }
    func packets(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var rest = bytes[...]
        var packets: [ArraySlice<UInt8>] = []
        while rest.count >= 4, let length = PacketLine.length(rest.prefix(4)), length == 0 || length > 4 {
            packets.append(rest.prefix(max(4, length)).dropFirst(4))
            rest = rest.dropFirst(max(4, length))
        }
        require(
            rest.isEmpty && packets.last?.isEmpty == true && packets.filter(\.isEmpty).count == 1,
            "no stream of packets")
        return packets
    }
    let hasBands = !push.capabilities.isDisjoint(with: [.sideBand, .sideBand64k])
    let report = hasBands ? packets(body).filter { $0.first == 1 }.flatMap { $0.dropFirst() } : body
    let lines = packets(report)
    require(lines.count == push.commands.count + 2 && lines[0].elementsEqual("unpack ok\n".utf8), "another report")
    for (line, command) in zip(lines.dropFirst(), push.commands) {
        require(line.starts(with: "ng ".utf8 + command.ref + " ".utf8) && line.last == 0x0a, "a ref that is not told")
    }
}

/// Checks a branch pattern against a ref's name.
func checkBranch(_ parts: [[UInt8]]) {
    guard let pattern = BranchPattern(String(decoding: parts[0], as: UTF8.self)) else { return }
    require(BranchPattern("refs/heads/" + pattern.text) == pattern, "a full name is another pattern")
    require(!pattern.text.utf8.contains { $0 <= 0x20 || $0 == 0x7f }, "a pattern that is no name")
    guard parts.count > 1, pattern.matches(parts[1][...]) else { return }
    let ref = parts[1]
    let names = ref.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    require(
        names.count >= 3 && names[0].elementsEqual("refs".utf8) && names[1].elementsEqual("heads".utf8), "no branch")
    require(!names.contains { $0.isEmpty || $0.first == UInt8(ascii: ".") }, "a name that leads elsewhere")
    require(ref.firstRange(of: "..".utf8) == nil && !ref.contains { $0 <= 0x20 || $0 == 0x7f }, "an odd name")
    let fixed = pattern.text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
    let short = ref.dropFirst(11)
    require(
        short.starts(with: fixed[0])
            && short.suffix(fixed[fixed.count - 1].count).elementsEqual(fixed[fixed.count - 1]), "another branch")
    require(fixed.count == 2 || short.elementsEqual(fixed[0]), "more than the branch")
}
