import CredentialCore
import FuzzSupport
import Providers

/// ④ ⑤ Any bytes as the answer of every endpoint, whatever it says that they are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOAuth(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Input(start, count)
    let kind = Int(input.takeByte())
    let status = statuses[kind / types.count % statuses.count]
    // The body, and after 0xFF, which no answer may hold, a value for Retry-After.
    let parts = input.parts
    let response = HTTPResponse(
        status: status, body: parts[0],
        headers: [
            ("content-type", Array(types[kind % types.count].utf8)), ("retry-after", parts.count > 1 ? parts[1] : []),
        ])
    let transport = Echo(response)
    let host = makeHost(.github)
    let client = OAuthClient(id: "Iv23liFuzzed", of: host, at: GitHub().endpoints(of: host))
    let secret = Secret(Array("ghr_refresh".utf8))
    let flow = DeviceFlow(client: client, transport: transport)
    if let authorization = try? flow.requestCode() { check(authorization, flow) }
    switch TokenAnswer(response, client.dialect) {
    case .success(let token): check(token)
    case .failure(.other(let text), _): checkShown(text.text)
    case .failure, .malformed: break
    case .unavailable(_, let retryAfter): require((0...900).contains(retryAfter ?? 0), "a wait without bounds")
    }
    if case .renewed(let token) = RefreshRequest.send(secret, client: client, over: transport) { check(token) }
    for host in [host, makeHost(.gitlab)] { ask(host, secret, transport) }
    return 0
}

/// What each kind of host is asked beyond OAuth.
private func ask(_ host: SignInHost, _ secret: Secret, _ transport: Echo) {
    if case .accepted(let names) = host.provider.account(of: secret, on: host, over: transport) {
        // GitLab may say that a token is good, and not whose it is.
        require(names.count == 1 || names.isEmpty && host.providerID == .gitlab, "a good token without an owner")
        for name in names { require(isPlain(name, beyondLetters: "-_.", upTo: 255), "an odd login got through") }
    }
    if let scopes = host.provider.details(of: secret, on: host, over: transport)?.scopes {
        require(scopes.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "an odd scope got through")
    }
    let answer = try? host.provider.repository("acme/widgets", on: host, token: secret, over: transport)
    if case .singleSignOnRequired(let page?) = answer {
        require(page.isSameOrigin(as: host.origin), "a page elsewhere got through")
    }
}

/// The status is what decides first; the rest is treated alike within these groups.
private let statuses = [200, 400, 401, 403, 404, 429, 302, 503]
private let types = ["application/json; charset=utf-8", "application/x-www-form-urlencoded", "text/html", ""]

/// The host that is asked, which alone may be shown.
private func makeHost(_ provider: ProviderID) -> SignInHost {
    let name = HostName(name: "ghe.test")
    guard let host = SignInHost(configured: name, provider: provider) else { fatalError("no host to ask") }
    return host
}

/// A transport that always answers the same.
private final class Echo: Transport {
    private let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse { response }
}

private func check(_ authorization: DeviceAuthorization, _ flow: DeviceFlow) {
    require(isPlain(authorization.userCode, beyondLetters: "-", upTo: 32), "an odd code got through")
    require(authorization.verificationURI.authority == "ghe.test", "a page of another host got through")
    checkShown(authorization.verificationURI.text)
    require((1...900).contains(authorization.expiresIn), "a code that lasts too long")
    require((1...60).contains(authorization.interval), "an interval without bounds")
    var polling = Polling(interval: authorization.interval)
    for _ in 1...3 { _ = try? flow.poll(authorization, &polling, deadline: .max) }
    require((authorization.interval...900).contains(polling.interval), "polling that gets faster, or too slow")
}

private func check(_ token: TokenResponse) {
    for secret in [token.accessToken, token.refreshToken].compactMap({ $0 }) {
        let isSound = secret.reveal { bytes in
            !bytes.isEmpty && bytes.count <= 16_384 && bytes.allSatisfy { (0x20...0x7e).contains($0) }
        }
        require(isSound, "an odd token got through")
    }
    require((1...315_360_000).contains(token.expiresIn ?? 1), "an odd lifetime got through")
    require((1...315_360_000).contains(token.refreshTokenExpiresIn ?? 1), "an odd lifetime got through")
    if let scope = token.scope { require(scope.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "an odd scope") }
}

/// What people are shown is printable ASCII, whatever it was.
private func checkShown(_ text: String) {
    require(text.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "text that is not fit to be shown")
}

private func isPlain(_ text: String, beyondLetters extra: String, upTo length: Int) -> Bool {
    !text.isEmpty && text.utf8.count <= length
        && text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                || extra.unicodeScalars.contains(scalar)
        }
}
