import CredentialCore
import FuzzSupport
import Helper
import Share

/// ① ② ⑦ Reads any bytes as a request, with the answers to it, and as a request of a share's target.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzRequest(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Input(start, count)
    let shared = ShareRequest(parsing: Secret(input.bytes))
    if let shared { check(shared, input.bytes) }
    guard let request = shared?.request ?? (try? Request(parsing: Secret(input.bytes))) else { return 0 }
    // No value may contain a line end or control byte, which later programs would interpret.
    for name in [request.protocol, request.host, request.path ?? [], request.username ?? []] {
        require(!name.contains { $0 < 0x20 || $0 == 0x7f }, "a control byte got through")
    }
    require(!request.protocol.isEmpty, "a request without protocol got through")
    require(request.wwwauth.count <= 64 && request.state.count <= 64, "a list without bounds")
    require(isUnchangedByWriting(request), "parsing what was encoded gives another request")
    if let place = try? CredentialContext(of: request) {
        require(
            place.signInHost == nil || place.protocol == CredentialContext.https, "a known host over another protocol")
    }
    // With the request's own values as the keyring's, no value of the answer may become two lines.
    let password = request.password ?? Secret(input.bytes)
    let answers: [Answer] = [
        .credential(StoredCredential(username: input.bytes, password: password, passwordExpiryUTC: .max)),
        .credential(
            StoredCredential(
                username: request.username ?? [], password: Secret(input.bytes),
                oauthRefreshToken: request.oauthRefreshToken)),
        .withoutPassword(username: request.username ?? [], oauthRefreshToken: Secret(input.bytes)), .quit, .nothing,
    ]
    for answer in answers {
        answer.encoded(for: request).reveal { bytes in
            require(!bytes.contains(0) && !bytes.contains(0x0d), "a NUL or CR in an answer")
            let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
            require(bytes.isEmpty || lines.last?.isEmpty == true, "an answer that ends within a line")
            // capability, username, password, expiry, refresh token, state: any further line was injected.
            require(lines.count <= 7, "more lines than attributes")
            for line in lines.dropLast() {
                let key = line.prefix { $0 != UInt8(ascii: "=") }
                require(answerKeys.contains { $0.elementsEqual(key) }, "a line that nobody wrote")
            }
        }
    }
    return 0
}

/// Checks that a target's request concerns only a shared host and account.
private func check(_ shared: ShareRequest, _ bytes: [UInt8]) {
    let plan = SharePlan(
        name: ShareName(forDestination: "box"), kind: .directory,
        hosts: [.init(HostName(name: "github.com"), username: Array("octocat".utf8))],
        access: .token(isLongLived: false))
    let (host, name) = (Array("github.com".utf8), Array("octocat".utf8))
    let request = shared.request
    // Account names are the same in any case.
    func isShared(_ username: [UInt8]?) -> Bool { username.map { ASCII.equalsIgnoringCase($0, name) } ?? true }
    switch plan.verdict(on: Secret(bytes)) {
    case .ignored: break
    case .get(_, let username):
        require(shared.action == .get && request.host == host, "another host")
        require(isShared(username), "another account")
    case .refused:
        require(shared.action == .get && request.host == host && !isShared(request.username), "a no to nothing")
    case .rejected(_, let rejection):
        require(shared.action == .erase && request.host == host, "another host")
        require(isShared(rejection.username), "another account")
    }
}

private let answerKeys = [
    "capability[]", "username", "password", "password_expiry_utc", "oauth_refresh_token", "state[]", "quit",
].map { Array($0.utf8) }

/// Whether a request is equal when written as git does and read again.
private func isUnchangedByWriting(_ request: Request) -> Bool {
    guard let again = try? Request(parsing: Secret(encoded(request))) else { return false }
    return again.protocol == request.protocol && again.host == request.host && again.path == request.path
        && again.username == request.username && again.password == request.password
        && again.oauthRefreshToken == request.oauthRefreshToken && again.passwordExpiryUTC == request.passwordExpiryUTC
        && again.wwwauth == request.wwwauth && again.capabilities == request.capabilities
        && again.state == request.state && again.carriesOurState == request.carriesOurState
}

private func encoded(_ request: Request) -> [UInt8] {
    var text: [UInt8] = []
    func add(_ key: String, _ value: [UInt8]?) {
        guard let value else { return }
        text += Array(key.utf8) + [UInt8(ascii: "=")] + value + [0x0a]
    }
    for capability in request.capabilities { add("capability[]", Array(capability.rawValue.utf8)) }
    add("protocol", request.protocol)
    add("host", request.host)
    add("path", request.path)
    add("username", request.username)
    add("password", request.password?.reveal { Array($0) })
    add("oauth_refresh_token", request.oauthRefreshToken?.reveal { Array($0) })
    add("password_expiry_utc", request.passwordExpiryUTC.map { Array(String($0).utf8) })
    for value in request.wwwauth { add("wwwauth[]", value) }
    for value in request.state { add("state[]", value) }
    return text
}
