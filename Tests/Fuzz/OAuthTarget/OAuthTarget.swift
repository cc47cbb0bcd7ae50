import CredentialCore
import FuzzSupport
import Glibc

@testable import CurlTransport
@testable import Providers

/// ④ ⑤ Reads any bytes as the transport does, and as the response of each endpoint of each kind of host.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzOAuth(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Input(start, count)
    let provider = [ProviderID.github, .gitlab, .oidc, .gitea][Int(input.takeByte()) % 4]
    guard let host = SignInHost(configured: HostName(name: "ghe.test"), provider: provider),
        let response = received(input.bytes)
    else { return 0 }
    checkHeaders(response)
    let transport = Echo(response, to: host)
    let secret = Secret(Array("ghr_refresh".utf8))
    if let server = server(of: host, transport) {
        let client = OAuthClient(id: "Iv23liFuzzed", server: server)
        do throws(SignInError) {
            check(try client.requestCode(over: transport), client, transport)
        } catch .busy(let seconds) {
            require(seconds >= 0, "a pause that is over")
        } catch {}
        let request = AuthorizationRequest(
            by: client, at: host.origin, redirectURI: "http://127.0.0.1:1/", account: nil)
        for grant in [
            AuthorizationGrant.code(secret, of: request), .deviceCode(secret, deadline: .max), .refreshToken(secret),
        ] {
            do throws(OAuthFailure) { check(try client.exchange(grant, over: transport)) } catch {
                if case .refused(let code, _) = error.reason { checkShown(code.name.text) }
                require(error.retryAfter.map { $0 >= 0 } ?? true, "a pause that is over")
            }
        }
    }
    ask(host, secret, transport)
    if let gitHub = host.provider.gitHub,
        let app = try? GitHubApp("1", on: gitHub, by: Signer(), over: transport, now: { 0 })
    {
        ask(app)
    }
    let recognized = (try? RecognizedHost(asking: host.origin, over: transport)) ?? nil
    let kind = recognized.flatMap { SignInHost(configured: host.name, provider: $0.provider) }
    let page = kind?.provider.page(.newToken)
    require(page.map { $0.isSameOrigin(as: host.origin) || $0.host == "id.atlassian.com" } ?? true, "a page elsewhere")
    return 0
}

/// The response made from header lines, as libcurl passes them on; `nil` if it is refused or has no status.
private func received(_ bytes: [UInt8]) -> HTTPResponse? {
    var exchange = Exchange(largestBody: 4_096)
    var rest = bytes[...]
    var status: Int?
    while let end = rest.firstIndex(of: 0x0a) {
        let line = Array(rest[...end])
        rest = rest[(end + 1)...]
        guard line.withUnsafeBytes({ exchange.receiveHeader($0) }) else { return nil }
        if line.starts(with: "HTTP/".utf8) {
            status = String(decoding: line, as: UTF8.self).split(separator: " ").dropFirst().first
                .flatMap { Int($0.prefix(3)) }
        }
        // An empty line ends the header, except that of an interim response.
        if line.count <= 2, [0x0a, 0x0d].contains(line[0]), status.map({ $0 >= 200 }) ?? false { break }
    }
    guard status != nil, Array(rest).withUnsafeBytes({ exchange.receiveBody($0) }) else { return nil }
    return exchange.response()
}

/// Checks that a header, written and read again, is equal.
private func checkHeaders(_ response: HTTPResponse) {
    var text = Array("HTTP/1.1 200 OK\r\n".utf8)
    for (name, value) in response.headers {
        require(!value.contains { $0 == 0x0d || $0 == 0x0a }, "a line end in a header")
        let ends = [value.first, value.last].compactMap(\.self)
        require(!ends.contains(0x20) && !ends.contains(0x09), "blanks around a header")
        text += Array("\(name): ".utf8) + value + [0x0d, 0x0a]
        check(value)
        check(ChallengeParameters(value), of: value)
    }
    let again = received(text + [0x0d, 0x0a])
    require(again?.headers.elementsEqual(response.headers, by: ==) == true, "a header that reads differently")
}

/// Checks that a date is equal when written again; a leap second becomes the next minute in the C library.
private func check(_ time: [UInt8]) {
    guard ![":60 GMT", ":60Z"].contains(where: { time.suffix($0.utf8.count).elementsEqual($0.utf8) }) else { return }
    if let seconds = HTTPDate.parse(time) {
        require(time.dropFirst(4).elementsEqual(text(seconds, " %d %b %04Y %H:%M:%S GMT")), "another date")
    }
    if let seconds = RFC3339Time.parse(time) { require(time == text(seconds, "%04Y-%m-%dT%H:%M:%SZ"), "another time") }
}

/// Checks that the challenge contains its parameters in the same order.
private func check(_ parameters: ChallengeParameters, of challenge: [UInt8]) {
    var parameters = parameters
    var rest = challenge[...]
    func pass(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { byte in
            rest = rest.drop { $0 != byte }
            return rest.popFirst() != nil
        }
    }
    while let (name, value) = parameters.next() {
        require(!name.isEmpty && name.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 }, "an odd parameter")
        require(pass(name) && pass(value), "a parameter that nobody sent")
    }
}

/// The host's OAuth endpoints, built in or from the discovery response: never on another host.
private func server(of host: SignInHost, _ transport: Echo) -> OAuthServer? {
    guard let found = try? host.provider.server(nil, over: transport) else { return nil }
    for endpoint in [found.deviceAuthorization, found.authorization, found.token, found.revocation, found.userinfo] {
        require(endpoint.map { $0.isSameOrigin(as: host.origin) } ?? true, "an endpoint of another host")
    }
    return found
}

/// Makes the requests of a host beyond OAuth.
private func ask(_ host: SignInHost, _ secret: Secret, _ transport: Echo) {
    let holder = host.provider.holder(of: secret, over: transport)
    // GitLab may report a valid token without its owner.
    require(holder != .good || host.providerID == .gitlab, "a good token without an owner")
    if case .account(let names, _) = holder {
        require(names.count == 1, "several owners")
        for name in names { require(isPlain(name, beyondLetters: "-_.", upTo: 255), "an odd login got through") }
    }
    if let scopes = try? host.provider.details(of: secret, over: transport)?.scopes { checkShown(scopes) }
    let credential = StoredCredential(username: Array("mona".utf8), password: secret)
    let answer = try? host.provider.repository("acme/widgets", as: credential, over: transport)
    if case .singleSignOnRequired(let page?) = answer {
        require(page.isSameOrigin(as: host.origin), "a page elsewhere got through")
    }
}

/// Makes the requests of an app that acts in its own name.
private func ask(_ app: GitHubApp) {
    do throws(InstallationFailure) {
        let own = Installation(id: 1, owner: "acme", isSuspended: false, permissions: [:])
        let token = try app.token(of: own, for: nil)
        require((1...86_400).contains(token.expiresIn), "an odd lifetime got through")
        checkShown(token.permissions ?? "")
    } catch .rateLimited(let minutes) { require((1...1_440).contains(minutes), "a wait without bounds") } catch {}
    guard let found = try? app.installation(for: nil) else { return }
    require(isPlain(found.owner, beyondLetters: "-_", upTo: 100) && found.id > 0, "an odd owner got through")
}

private struct Signer: AssertionSigner {
    let algorithm = SignatureAlgorithm.rs256

    func sign(_ message: [UInt8]) -> [UInt8]? { [1] }
}

/// A transport that always returns the same response, and fails if a secret goes to another host.
private final class Echo: Transport {
    private let response: HTTPResponse
    private let host: SignInHost

    init(_ response: HTTPResponse, to host: SignInHost) {
        self.response = response
        self.host = host
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        if case .none = request.authorization, case .none = request.body { return response }
        require(request.address.isSameOrigin(as: host.origin), "a secret for another host")
        return response
    }
}

/// A time in a format of strftime(3), in which `%04Y` is a year of four digits.
private func text(_ seconds: Int64, _ format: String) -> [UInt8] {
    var (time, parts, text) = (time_t(seconds), tm(), [CChar](repeating: 0, count: 40))
    gmtime_r(&time, &parts)
    let count = strftime(&text, text.count, format, &parts)
    return text.prefix(count).map(UInt8.init(bitPattern:))
}

private func check(_ authorization: DeviceAuthorization, _ client: OAuthClient, _ transport: Echo) {
    require(isPlain(authorization.userCode, beyondLetters: "-", upTo: 32), "an odd code got through")
    require(authorization.verificationURI.authority == "ghe.test", "a page of another host got through")
    checkShown(authorization.verificationURI.text)
    require((1...900).contains(authorization.expiresIn), "a code that lasts too long")
    require((1...60).contains(authorization.interval), "an interval without bounds")
    var polling = Polling(interval: authorization.interval)
    for _ in 1...3 { _ = try? client.poll(authorization, &polling, deadline: .max, over: transport) }
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
    checkShown(token.scope ?? "")
}

/// Checks that a text for people is printable ASCII.
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
