import Foundation
import Glibc
import Staging
import System
import TestSupport
import Testing
import UserInterface

@Suite("Secrets")
struct SecretTests {
    private let secret = Secret("gho_16C7e42F292c")

    @Test("lends its bytes out unchanged", arguments: [[], [0], [0, 255, 10, 13], Array(repeating: 7, count: 70_000)])
    func roundTrip(bytes: [UInt8]) {
        let secret = Secret(bytes)
        #expect(secret.count == bytes.count && secret.isEmpty == bytes.isEmpty)
        #expect(secret.reveal { Array($0) } == bytes)
    }

    @Test("compares every byte of two secrets")
    func equality() {
        #expect(Secret("abc") == Secret("abc") && Secret("") == Secret(""))
        for other in ["abd", "bbc", "ab", "", "abcd"] { #expect(Secret("abc") != Secret(other), "\(other)") }
    }

    /// Returns the value in every way in which Swift makes text of it.
    private func printed<Value>(_ value: Value) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        let mirrored = Mirror(reflecting: value).children.map { "\($0.label ?? "") \($0.value)" }
        return dumped + "\(value)" + String(describing: value) + String(reflecting: value) + mirrored.joined()
    }

    @Test("prints neither a byte nor the length of a secret, alone or in another value")
    func printing() {
        let text = printed(secret)
        #expect(!text.contains("16C7") && !text.contains("gho_") && !text.contains("\(secret.count)"))
        #expect("\(secret)" == "****")
        let inside = printed(secret as Secret?) + printed([secret]) + printed(["token": secret]) + printed((1, secret))
        #expect(!inside.contains("16C7") && inside.contains("****"))
    }

    @Test("wiping empties an array")
    func wiping() {
        var bytes = Array("password".utf8)
        for _ in 1...2 {
            bytes.wipe()
            #expect(bytes.isEmpty)
        }
    }

    @Test("locks a secret's page in memory, and keeps it out of core dumps")
    func page() throws {
        let address = secret.reveal { UInt(bitPattern: $0.baseAddress) }
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let maps = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
        var isInside = false
        var flags: [Substring] = []
        for words in maps.split(separator: "\n").map({ $0.split(separator: " ") }) {
            let bounds = (words.first ?? "").split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(address) }
            if isInside, words.first == "VmFlags:" { flags = words }
        }
        // The flags of proc_pid_smaps(5): locked, and not dumped.
        #expect(flags.contains("lo") && flags.contains("dd"), "\(flags)")
        withExtendedLifetime(secret) {}
    }
}

/// Copies of a secret that stay in memory after its last use; malloc(3) reuses memory without clearing it.
@Suite("Copies of secrets", .serialized)
struct SecretCopiesTests {
    private let trace = SecretTrace()

    private func leavesNoCopy(sourceLocation: SourceLocation = #_sourceLocation, _ work: () -> Void) {
        #expect(trace.copiesAfter(work) == 0, sourceLocation: sourceLocation)
    }

    @Test("counts a secret's copies while it is held, and leaves none afterwards")
    func secret() {
        leavesNoCopy { _ = trace.secret }
        let secret = trace.secret
        #expect(withExtendedLifetime(secret) { trace.copies } == 1)
        let array = secret.reveal { Array($0) }
        #expect(withExtendedLifetime((secret, array)) { trace.copies } == 2)
    }

    @Test("a wiped array leaves no copy")
    func wiped() {
        leavesNoCopy {
            var bytes = trace.secret.reveal { Array($0) }
            bytes.wipe()
        }
    }

    @Test("an item's secret leaves no copy after encoding and parsing")
    func item() {
        leavesNoCopy {
            var credential = StoredCredential(username: [0x75], password: trace.secret, passwordExpiryUTC: 1)
            credential.oauthRefreshToken = trace.secret
            let text = SecretText.encode(credential)
            #expect(text.flatMap { SecretText.parse($0, username: [0x75]) }?.oauthRefreshToken == credential.password)
        }
    }

    @Test("an answer to git leaves no copy")
    func answer() throws {
        let request = try Request("protocol=https\nhost=h")
        leavesNoCopy {
            let credential = StoredCredential(
                username: [0x75], password: trace.secret, passwordExpiryUTC: 1, oauthRefreshToken: trace.secret)
            #expect(Answer.credential(credential).encoded(for: request).count > 2 * SecretTrace.length)
        }
    }

    @Test("a request from git leaves no copy")
    func request() {
        leavesNoCopy {
            let lines = text(["protocol=https\nhost=h\nusername=u\npassword=", "\noauth_refresh_token=", "\n"])
            #expect((try? Request(parsing: lines))?.oauthRefreshToken?.count == SecretTrace.length)
        }
    }

    @Test("a form leaves no copy")
    func form() {
        leavesNoCopy {
            var form = FormBuilder()
            form.add("grant_type", "refresh_token".utf8)
            form.add("refresh_token", trace.secret)
            form.add("client_id", "c".utf8)
            _ = form.finish()
        }
    }

    @Test("Basic credentials leave no copy")
    func basic() { leavesNoCopy { _ = BasicCredentials.encode(username: "u", password: trace.secret) } }

    @Test("an exchange leaves no copy of the request, the response and its tokens")
    func exchange() throws {
        let host = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        let client = try OAuthClient(id: "Iv1.a", secret: trace.secret, of: host)
        let copies = trace.copiesAfter {
            let body = text([
                #"{"token_type":"bearer","access_token":""#, #"","refresh_token":""#, #"","expires_in":28800}"#,
            ])
            let transport = OneAnswer(body)
            let tokens = try? client.exchange(.refreshToken(trace.secret), over: transport)
            #expect(tokens?.refreshToken?.count == SecretTrace.length)
        }
        // The client secret.
        #expect(copies == 1)
    }

    @Test("a list of tokens to revoke leaves no copy")
    func revocation() throws {
        let host = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        let gitHub = try #require(host.provider.gitHub)
        leavesNoCopy {
            let grant = RevocableGrant(accessToken: trace.secret, refreshToken: trace.secret, client: nil)
            #expect(gitHub.revoke([grant], over: OneAnswer(text(["{}"]), status: 202)) == .accepted)
        }
    }

    @Test("a program's input and output leave no copy")
    func program() {
        leavesNoCopy {
            let printed = try? System.ChildProcess.run(["cat"], input: trace.secret, within: 60_000)
            #expect(printed?.count == SecretTrace.length)
        }
    }

    @Test("a request of a share's target leaves no copy")
    func sharedRequest() throws {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString.prefix(8))"
        let socket = try ListeningSocket(at: path)
        defer { socket.remove() }
        leavesNoCopy {
            var count = 0
            let client = try? SocketClient(to: path)
            for part in [text(["action=erase\npassword=", "\n"]), Secret(Array("\n".utf8))] {
                part.reveal { client?.send($0) }
            }
            let requests = RequestConnections { request, _, _, _ in
                count = request.count
                return Secret([])
            }
            _ = Listener(on: socket, admits: { _ in true }, requests).run(watching: [], isStopped: { count > 0 })
            #expect(count > SecretTrace.length)
        }
    }

    @Test("a code that comes from the browser, in the head of a request and as a field")
    func redirect() throws {
        leavesNoCopy {
            let address = RedirectAddress(.loopbackAddress, path: "/")
            guard let listener = try? LoopbackListener(at: address),
                let browser = try? SocketClient(toPort: listener.port)
            else { return }
            for part in [
                text(["GET /?state=s&code=", " HTTP/1.1\r\n"]),
                Secret(Array("Host: 127.0.0.1:\(listener.port)\r\n\r".utf8)), Secret(Array("\n".utf8)),
            ] { part.reveal { browser.send($0) } }
            var code: Secret?
            while code == nil {
                var descriptors = listener.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                poll(&descriptors, nfds_t(descriptors.count), -1)
                if case .answer(let fields)? = listener.next({ _ in true }) { code = fields.secret("code") }
            }
            #expect(code?.count == SecretTrace.length)
        }
    }

    /// Returns the pieces with the secret between each two.
    private func text(_ pieces: [String]) -> Secret {
        var text = Secret.Builder()
        for (index, piece) in pieces.enumerated() {
            if index > 0 { text.append(trace.secret) }
            text.append(piece.utf8)
        }
        return text.finish()
    }
}

private final class OneAnswer: Transport {
    private var response: HTTPResponse?

    init(_ body: Secret, status: Int = 200) { response = HTTPResponse(status: status, body: body) }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        defer { response = nil }
        guard let response else { throw .unreachable }
        return response
    }
}
