import CredentialCore
import FuzzSupport

@testable import Share

/// Reads any bytes, cut at any place, as a client's data through the gateway, and as a host's answer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGateway(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Input(start, count)
    let kind = input.takeByte() % 8
    let cut = Int(input.takeByte()) << 4 | Int(input.takeByte() & 0xf)
    let bytes = input.bytes
    let pieces = [bytes[..<min(cut, bytes.count)], bytes[min(cut, bytes.count)...]]
    switch kind {
    case 0: require(hasConnected([bytes[...]]) == hasConnected(pieces), "a cut makes another conversation")
    case 1: checkHead(bytes, pieces)
    case 2: checkBody(bytes, pieces)
    case 3: checkPush(bytes, pieces)
    case 4: checkBranch(input.parts)
    case 5: checkReport(bytes, pieces)
    case 6:
        checkChannel(bytes)
        checkAdvertisement(bytes, pieces)
    default: checkAnswer(input.parts)
    }
    return 0
}

private func checkReport(_ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>]) {
    for capabilities in ["report-status", "report-status side-band-64k"] {
        let zero = String(repeating: "0", count: 40)
        let command = Array("\(zero) \(zero.dropLast())1 refs/heads/x\u{0} \(capabilities)".utf8)
        var list: [UInt8] = []
        PacketLine.append(command, to: &list)
        var start = (list + PacketLine.flush)[...]
        var reader = PushReader()
        guard let push = try? reader.take(&start) else { return require(false, "a push of ours is none") }
        var (whole, cut) = (PushReport(for: push), PushReport(for: push))
        bytes.withUnsafeBytes { whole.take($0) }
        for piece in pieces { piece.withUnsafeBytes { cut.take($0) } }
        require(whole.result == cut.result, "a cut makes another report")
    }
}

/// Checks that what a host announces is the same however it is cut, and has one more word at most.
private func checkAdvertisement(_ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>]) {
    func passed(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
        var advertisement = PushAdvertisement()
        let passed = pieces.flatMap { advertisement.take($0) }
        return passed + advertisement.held
    }
    let whole = passed([bytes[...]])
    require(whole == passed(pieces), "a cut makes another advertisement")
    require([0, " push-options".utf8.count].contains(whole.count - bytes.count), "more than a word")
}

/// Checks that a message read from the other process is equal when written again.
private func checkChannel(_ bytes: [UInt8]) {
    if let policy = GatewayPolicy(parsing: bytes) {
        require(GatewayPolicy(parsing: policy.encoded) == policy, "an order that changes")
    }
    if let message = GatewayMessage(parsing: bytes) {
        require(GatewayMessage(parsing: message.encoded) == message, "a message that changes")
    }
}

/// The bytes sent to the client, and whether HTTP follows.
private func hasConnected(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
    var handshake = SOCKSHandshake()
    var sent: [UInt8] = []
    for var piece in pieces {
        while true {
            switch handshake.take(&piece) {
            case .needsMore: break
            case .chosen(let reply):
                sent += reply
                continue
            case .connected(let reply):
                require(sent == [5, 0] && reply.prefix(2) == [5, 0], "connected without a method")
                return sent + reply + [1]
            case .refused(let reply):
                require(reply.isEmpty || reply.count >= 2 && reply[1] != 0, "refused with a success")
                return sent + reply
            }
            break
        }
    }
    return sent
}

/// The result of a reader: a value with its length, a refusal, or "more bytes needed".
private func outcome<Value>(
    _ pieces: [ArraySlice<UInt8>], _ take: (inout ArraySlice<UInt8>) throws(HTTPRefusal) -> Value?
) -> (value: Value?, count: Int, refusal: HTTPRefusal?) {
    var count = 0
    for piece in pieces {
        var rest = piece
        do throws(HTTPRefusal) {
            let value = try take(&rest)
            count += piece.count - rest.count
            if let value { return (value, count, nil) }
        } catch {
            return (nil, 0, error)
        }
    }
    return (nil, count, nil)
}

private func checkHead(_ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>]) {
    func read(_ pieces: [ArraySlice<UInt8>]) -> (value: RequestHead?, count: Int, refusal: HTTPRefusal?) {
        var parser = RequestHead.Parser()
        return outcome(pieces) { (rest: inout ArraySlice<UInt8>) throws(HTTPRefusal) in try parser.take(&rest) }
    }
    let whole = read([bytes[...]])
    require(whole == read(pieces), "a cut makes another head")
    guard let head = whole.value else { return }
    // A lenient reader: each relevant field occurs once, and the head ends at the first empty line.
    let text = bytes.prefix(whole.count)
    require(
        text.count <= 8_192 && text.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x0d || $0 == 0x0a }, "odd bytes")
    let end = text.firstIndex(of: 0x0d) ?? 0
    require(text[end...].allSatisfy { $0 < 0x80 }, "odd bytes behind the request line")
    let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false).map { $0.map(ASCII.folded) }
    require(lines.dropLast().firstIndex { $0.count <= 1 } == lines.count - 2, "another end of the head")
    func count(_ name: String) -> Int { lines.filter { $0.starts(with: "\(name):".utf8) }.count }
    require(count("content-length") + count("transfer-encoding") <= 1, "two lengths")
    require(count("host") == 1, "two hosts")
    let (hosts, names) = (
        [HostName(name: "github.com"), HostName(name: "a", port: 8_443)], ["acme/app", "acme/sub/x"]
    )
    let repositories = names.compactMap { RepositoryName(host: hosts[0], path: $0) }
    if let request = try? GatewayPolicy(.hosts(hosts)).admit(head) {
        require(["github.com", "a:8443"].contains(request.address.authority), "another host")
        check(request)
    }
    if let request = try? GatewayPolicy(.repositories(repositories), isReadOnly: true).admit(head) {
        let paths = names.flatMap { name in
            ["", ".git"].flatMap { suffix in
                ["info/refs?service=git-upload-pack", "git-upload-pack"].map { "/\(name)\(suffix)/\($0)" }
            }
        }
        require(request.address.authority == "github.com" && paths.contains(request.address.path), "another repository")
        check(request)
    }
}

/// Checks a request to the host.
private func check(_ request: HostRequest) {
    let path = request.address.path
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    require(!segments.contains { ["", ".", ".."].contains($0) }, "a path that leads elsewhere")
    require(path.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || "._~-/?=%".utf8.contains($0) }, "an odd byte in a path")
    require(!["%2F", "%2E", "%25", "%5C", "%3B", "%00"].contains { path.contains($0) }, "a path that is read twice")
    let ends = ["/info/refs?service=git-upload-pack", "/info/refs?service=git-receive-pack"]
    let calls = ["/git-upload-pack", "/git-receive-pack"]
    require((request.method == .get ? ends : calls).contains { path.hasSuffix($0) }, "not a service of git's")
    for field in request.fields {
        require(field.value.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a field of several values")
        require(
            ["Accept", "Content-Type", "Content-Encoding", "Git-Protocol"].contains(field.name), "a field of its own")
    }
}

private func checkBody(_ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>]) {
    func read(_ pieces: [ArraySlice<UInt8>]) -> (value: [UInt8]?, count: Int, refusal: HTTPRefusal?) {
        var reader = BodyReader(.chunked)
        var content: [UInt8] = []
        return outcome(pieces) { (rest: inout ArraySlice<UInt8>) throws(HTTPRefusal) in
            while true {
                switch try reader.next(&rest) {
                case .bytes(let piece): content += piece
                case .needsMore: return nil
                case .end: return content
                }
            }
        }
    }
    let whole = read([bytes[...]])
    require(whole == read(pieces), "a cut makes another body")
    guard let content = whole.value else { return }
    require(content == dechunked(bytes[..<whole.count]), "another body")
}

/// Decodes a complete chunked body in the simplest way.
private func dechunked(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var rest = bytes
    var content: [UInt8] = []
    while let lineEnd = rest.firstIndex(of: 0x0d),
        let count = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16), count > 0
    {
        content += rest.dropFirst(lineEnd + 2 - rest.startIndex).prefix(count)
        rest = rest.dropFirst(lineEnd + 2 - rest.startIndex + count + 2)
    }
    return rest.suffix(4).elementsEqual("\r\n\r\n".utf8) ? content : nil
}

private func checkPush(_ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>]) {
    func read(_ pieces: [ArraySlice<UInt8>]) -> (value: Push?, count: Int, refusal: HTTPRefusal?) {
        var reader = PushReader()
        let read = outcome(pieces) { (rest: inout ArraySlice<UInt8>) throws(HTTPRefusal) in try reader.take(&rest) }
        guard read.value == nil, read.refusal == nil else { return read }
        do throws(HTTPRefusal) {
            return (try reader.finish(), read.count, nil)
        } catch {
            return (nil, 0, error)
        }
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
            },
            "another branch")
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
    guard case .bytes(let body) = response.body else { fatalError("an answer without a body") }
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
private func checkBranch(_ parts: [[UInt8]]) {
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

/// Checks that a host's status, type and `Location` become one head, without a redirect to another host.
private func checkAnswer(_ parts: [[UInt8]]) {
    func part(_ number: Int) -> [UInt8]? { parts.count > number ? parts[number] : nil }
    let statuses = [200, 301, 302, 307, 308, 401, 403, 404, 500, 999]
    let answer = HostAnswer(
        status: statuses[Int(parts[0].first ?? 0) % statuses.count], contentType: part(1), cacheControl: part(1),
        location: part(2))
    let text = "GET /github.com/acme/app/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: gitspace.invalid\r\n\r\n"
    var (parser, input) = (RequestHead.Parser(), Array(text.utf8)[...])
    let limited = RepositoryName(host: HostName(name: "github.com"), path: "acme/app").map { [$0] } ?? []
    for policy in [GatewayPolicy(.hosts([HostName(name: "github.com")])), GatewayPolicy(.repositories(limited))] {
        (parser, input) = (RequestHead.Parser(), Array(text.utf8)[...])
        guard let head = try? parser.take(&input), let request = try? policy.admit(head) else {
            fatalError("no request")
        }
        let response: GatewayResponse
        switch answer.verdict(on: request, under: policy, isRepeated: true) {
        case .pass(let passed): response = passed
        case .answer(let own): response = own
        case .refuse(let refusal): response = GatewayResponse(refusal)
        case .askAgain: fatalError("asked a third time")
        }
        let lines = String(decoding: response.encoded(), as: UTF8.self).utf8.split(
            separator: 0x0a, omittingEmptySubsequences: false)
        let end = lines.firstIndex { $0.elementsEqual("\r".utf8) } ?? 0
        for line in lines[1..<end] {
            let name = String(line.prefix { $0 != UInt8(ascii: ":") }) ?? ""
            require(
                ["Content-Type", "Cache-Control", "Location", "Content-Length", "Transfer-Encoding"].contains(name),
                "a field of the host's own")
            require(name != "Location" || line.starts(with: "Location: /github.com/".utf8), "to another host")
            require(line.dropLast().allSatisfy { (0x20...0x7e).contains($0) } && line.last == 0x0d, "two lines")
        }
        require(lines.count - end <= 3, "two answers")
    }
}
