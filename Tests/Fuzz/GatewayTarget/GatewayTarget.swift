import CredentialCore
import FuzzSupport

@testable import Share

/// Reads any bytes, cut at any place, as a client's data through the gateway, and as a host's answer.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzGateway(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
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
func outcome<Value>(_ pieces: [ArraySlice<UInt8>], _ take: (inout ArraySlice<UInt8>) throws(HTTPRefusal) -> Value?) -> (
    value: Value?, count: Int, refusal: HTTPRefusal?
) {
    var count = 0
    for piece in pieces {
        var rest = piece
        do throws(HTTPRefusal) {
            let value = try take(&rest)
            count += piece.count - rest.count
            if let value { return (value, count, nil) }
        } catch { return (nil, 0, error) }
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

/// Checks that a host's status, type and `Location` become one head, without a redirect to another host.
private func checkAnswer(_ parts: [[UInt8]]) {
    func part(_ number: Int) -> [UInt8]? { parts.count > number ? parts[number] : nil }
    let statuses = [200, 301, 302, 307, 308, 401, 403, 404, 500, 999]
    let answer = HostAnswer(
        status: statuses[Int(parts[0].first ?? 0) % statuses.count], contentType: part(1), cacheControl: part(1),
        location: part(2))
    let text = "GET /github.com/acme/app/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: gitspace.invalid\r\n\r\n"
    let limited = RepositoryName(host: HostName(name: "github.com"), path: "acme/app").map { [$0] } ?? []
    for policy in [GatewayPolicy(.hosts([HostName(name: "github.com")])), GatewayPolicy(.repositories(limited))] {
        var (parser, input) = (RequestHead.Parser(), Array(text.utf8)[...])
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
