import CredentialCore
import Foundation
import Helper
import Language
import Providers
import Testing

@testable import Verbs

@Suite("Error messages for people")
struct UserFacingErrorTests {
    static let flowErrors: [SignInError] = [
        .transport(.unreachable), .unavailable(status: 503), .unavailable(status: 500, saying: "x (y)"),
        .unavailable(status: 200), .unavailable(status: 403), .noDeviceFlow, .invalidScope("a b"), .clientSecretWanted,
        .unknownClient, .clientUnknownOrUnproven, .clientOrProofUnknown, .noIDToken, .deviceFlowDisabled,
        .deviceFlowUnsupported,
        .declined, .expired, .invalidGrant, .unverifiedUserEmail, .refused("code"), .malformedAnswer, .foreignAddress,
        .tokenRejected,
    ]
    static let keyringErrors: [KeyringError] = [
        .noBus, .foreignBus(.user(12_345)), .foreignBus(.user(12_345, bySudo: true)), .foreignBus(.address("tcp:")),
        .noProvider, .noCollection, .noSuchCollection("work"), .locked, .dismissed, .unresponsive(seconds: 5), .denied,
        .disconnected, .noPlugin, .unstorable, .interrupted, .other("x"),
    ]
    static let transportErrors: [TransportError] = [
        .unreachable, .proxy(setting: "http.proxy"), .proxy(setting: "https_proxy"), .timedOut, .untrusted,
        .untrustedBy(setting: "GIT_SSL_CAINFO"), .outsideValidity(isExpired: true), .outsideValidity(isExpired: false),
        .tooLarge, .malformed, .interrupted, .proxySignIn(setting: "http.proxy", login: nil, wasSent: false),
        .proxySignIn(setting: "http.proxy", login: "http://m@p", wasSent: false),
        .proxySignIn(setting: "https_proxy", login: "http://m@p", wasSent: true), .clientCertificate(.wanted),
        .clientCertificate(.perhapsWanted), .clientCertificate(.refused(setting: "GIT_SSL_CERT")),
        .clientCertificate(.unusable(setting: "http.sslCert", protected: nil)),
        .clientCertificate(.unusable(setting: "http.sslCert", protected: "/c.pem")),
        .misconfigured(.proxyScheme("ftp://proxy.example")),
    ]
    static let fileErrors: [ConfigurationFileError] = [
        .unreadable, .noHome, .locked("/f.lock"), .notPermitted("/f"), .failed("/f", reason: "x"), .notTakenUp("/f"),
        .folderNotPermitted("/f"), .noCommand, .noRepository, .elsewhere("/f"), .folderMissing("/f"),
        .noFolder("/f", reason: "x"),
    ]
    static let setUp: [UserFacingError] =
        fileErrors.map { .configuration($0, verb: "configure --system") }
        + fileErrors.map { .clientIDNotKept($0, host: "h.example", clientID: "c") }
        + flowErrors.compactMap { .registration($0, host: "h.example", clientID: "c", form: .gitHubOAuthApp) } + [
            .noRegistrationPage(host: "h.example"), .nobodyToAsk(host: "h.example", because: nil),
            .nobodyToAsk(host: "h.example", because: "CI"), .malformedClientID,
        ]
    private static let others: [UserFacingError] = [
        .requestRefused(.tooLong), .downgrade, .nobodyHere(host: "h.example", because: nil),
        .nobodyHere(host: "h.example", because: "CI"), .noClientID(host: "h.example"),
        .serverInTrouble(host: "h.example", status: 500),
        .refreshRefused(host: "h.example", .invalidGrant, SignInAgain(account: nil)),
        .clientRefused(host: "h.example", clientID: "Iv1.0", .invalidClient), .otherNotFinished(host: "h.example"),
        .lockImpossible, .notForSignIn(host: "h.example"),
        .mistypedHost("githb.com", meant: "github.com", command: "login github.com"),
        .nothingToRemove(host: "h.example", nil), .nothingToRemove(host: "h.example", .noProvider),
        .noSuchVerb("logn", nearest: "login"), .noKeyringPassword, .gitLacksProactive("2.39"), .nothingToConfigure,
        .malformedHostArgument("git hub.com", verb: "login"), .plainHTTPArgument("http://github.com", verb: "setup"),
        .tokenRefused(host: "h.example", page: nil),
    ]
    static let all: [UserFacingError] = [
        flowErrors.compactMap { .signIn($0, host: "h.example", clientID: "c") }, keyringErrors.map { .keyring($0) },
        keyringErrors.map { .notSaved(.keyring($0)) }, keyringErrors.map { .keyringAbsent($0, host: "h.example") },
        transportErrors.map { .offline(host: "h.example", $0) }, others, setUp,
    ].flatMap { $0 }

    static let tokenErrors: [IDTokenError] = [
        .signature(.tooLong), .signature(.refusedAlgorithm("HS256")), .signature(.refusedAlgorithm(nil)),
        .signature(.unknownKey("k1")), .signature(.wrongSignature), .wrongType("at+jwt"), .malformedClaims,
        .missing(.subject),
        .malformed(.expiry), .wrongIssuer("https://other.example"), .foreignAudience, .expired, .fromTheFuture,
        .wrongNonce, .unusableAccount, .noIssuer, .keysUnavailable, .unusableKeys,
    ]
    static let keyErrors: [SigningKeyError] = [
        .absent, .unreadable, .notAFile, .relativePath, .noCredentialsDirectory, .symbolicLink, .foreignOwner,
        .accessibleToOthers, .folderOfOthers("/keys"), .encrypted, .publicKey, .severalKeys, .malformed,
        .unsupportedKind("ED25519"), .unsupportedSize(bits: 1_024), .signing,
    ]
    private static let page = HTTPSAddress(host: "h.example", path: "/apps")
    static let appErrors: [InstallationFailure] =
        [
            .incomplete(missing: .githubAppKey), .unsupported, .rejected(id: "4711"), .clock(ahead: 600),
            .clock(ahead: -600), .notInstalled(owner: "acme", page: page), .notInstalledAnywhere(page: page), .noOwner,
            .several(["acme", "other"]), .repositoryUnknown, .suspended(owner: "acme"),
            .repositoryNotIncluded("acme/private", page: page), .forbidden(status: 403), .exhausted(owner: "acme"),
            .transport(.timedOut), .rateLimited(minutes: 5), .unavailable(status: 502), .malformed(status: 200),
        ] + [.unsupportedKind("EC"), .unsupportedSize(bits: 1_024), .encrypted].map { .key($0, place: "/app.pem") }

    /// Every state above with its sentence and hints, as Tests/Support/error-words has them; GITSPACE_TEST_WRITE=1 writes
    /// that file.
    private static var words: String {
        var lines: [String] = []
        func add(_ state: Any, _ error: UserFacingError?) {
            lines.append(
                "\(state)\n" + (error.map { [$0.text] + $0.hints } ?? []).map { "    \($0.english)\n" }.joined())
        }
        for error in flowErrors { add("sign-in \(error)", .signIn(error, host: "h.example", clientID: "c")) }
        for error in tokenErrors {
            add("ID token \(error)", .signIn(.untrustedIdentity(error), host: "h.example", clientID: "c"))
        }
        for error in transportErrors { add("transport \(error)", .offline(host: "h.example", error)) }
        for error in keyringErrors {
            add("keyring \(error)", error.words)
            for program: KeyringProgram in [.gnomeKeyring, .keePassXC, .kwallet, .other("oo7")] {
                let words = error.words(by: program)
                if words != error.words { add("keyring \(error) by \(program)", words) }
            }
        }
        for program: KeyringProgram in [.keePassXC, .kwallet, .other(nil)] {
            add("keyring locked by \(program), with names", KeyringError.locked.words(by: program, locked: ["a", "b"]))
        }
        for error in fileErrors { add("configuration \(error)", .configuration(error, verb: "configure --system")) }
        for error in keyErrors { add("key \(error)", error.words("/key.pem")) }
        for error in appErrors { add("app \(error)", error.words(host: "h.example")) }
        for error in others { add("other \(error.code)", error) }
        return lines.joined()
    }

    @Test("says of each state what the list of sentences has for it")
    func sentences() throws {
        let list = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Support/error-words")
        if ProcessInfo.processInfo.environment["GITSPACE_TEST_WRITE"] != nil {
            try Self.words.write(to: list, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: list, encoding: .utf8)
        for (now, then) in zip(Self.words.split(separator: "\n"), expected.split(separator: "\n")) where now != then {
            Issue.record("\(now), and not \(then)")
            return
        }
        #expect(Self.words == expected)
    }

    @Test("has one line that names the failure, without a full stop, and ends with an indented command of its own line")
    func texts() {
        for failure in Self.all {
            let text = failure.text.english
            #expect(!text.isEmpty && !text.hasSuffix(".") && !text.contains("\n"))
            // The text begins in lower case, except for a name such as GitHub.
            #expect(text.first?.isLowercase == true || text.hasPrefix("GitHub"), "\(text)")
            // The last lines can also be those of a file.
            let last = failure.hints.drop { !$0.english.hasPrefix(" ") }
            let isFile = last.first?.english.hasPrefix("  [") == true
            #expect(isFile ? last.allSatisfy { $0.english.hasPrefix(" ") } : last.count <= 1, "\(text)")
            #expect(failure.hints.allSatisfy { !$0.english.contains("\n") })
            // GitHub is not named where the host may be a GitLab.
            let words = ([failure.text] + failure.hints).map(\.english).joined(separator: "\n").replacing(
                "GitHub App (on GitHub)", with: "")
            #expect(!words.contains("GitHub") || words.contains("GitLab"), "\(words)")
        }
    }

    @Test("differs for any two failures")
    func distinct() {
        let signIns = Self.flowErrors.map { UserFacingError.signIn($0, host: "h", clientID: "c")?.text.english }
        #expect(Set(signIns).count == Self.flowErrors.count)
        let keyrings = Self.keyringErrors.map { UserFacingError.keyring($0).text.english }
        #expect(Set(keyrings).count == Self.keyringErrors.count)
    }

    @Test("uses GitLab's own name for its client ID")
    func applicationID() {
        func text(_ form: Registration.Form?) -> String? {
            UserFacingError.signIn(.unknownClient, host: "h.example", clientID: "c", form: form)?.text.english
        }
        #expect(text(.gitLabApplication) == "h.example does not recognize the Application ID c")
        #expect(text(.giteaApplication) == "h.example does not recognize the client ID c")
        let (host, form) = ("h.example" as DisplayText, Registration.Form.gitLabApplication)
        let errors: [UserFacingError] = [
            .clientRefused(host: host, clientID: "c", .invalidClient, form: form), .noClientID(host: host, form: form),
            .nobodyToAsk(host: host, because: nil, form: form), .nobodyToAsk(host: host, because: "CI", form: form),
            .clientIDNotKept(.locked("/f"), host: host, clientID: "c", form: form),
            UserFacingError.signIn(.unknownClient, host: host, clientID: "c", form: form) ?? .malformedToken,
        ]
        for error in errors {
            let words = ([error.text] + error.hints).map(\.english)
            #expect(words.contains { $0.contains("Application ID") }, "\(words)")
            #expect(!words.contains { $0.contains("client ID") || $0.contains("Client ID") }, "\(words)")
        }
    }

    @Test("suggests git without sudo to root for another person, and leaves a library's own words to the trace")
    func sudo() {
        let words = UserFacingError.keyring(.foreignBus(.user(1_000, bySudo: true)))
        #expect(words.text.english == "root cannot use your keyring, even with \"sudo -E\"")
        #expect(words.hints.map(\.english) == ["run the command without sudo"])
        #expect(!UserFacingError.keyring(.other("GDBus.Error:org.freedesktop")).text.english.contains("GDBus"))
    }

    @Test("quotes a host as one word of the shell")
    func pastedHosts() {
        let errors: [UserFacingError] = [
            .notForSignIn(host: "a;id"), .notSignedIn(host: "a;id"), .severalAccounts(host: "a;id", []),
        ]
        for command in errors.flatMap(\.hints).map(\.english) where command.hasPrefix(" ") {
            let words = ["'a;id'", "'credential.https://a;id.provider'"]
            #expect(words.contains { command.contains($0) }, "\(command)")
        }
    }

    @Test(
        "quotes a word for the shell without control characters",
        arguments: [
            ("plain-1.example/x", "plain-1.example/x"), ("\u{ae30}\u{c5b5}", "\u{ae30}\u{c5b5}"), ("", "''"),
            ("it's", "'it'\\''s'"), ("'\u{345};id;'\u{345}", "''\\''\u{345};id;'\\''\u{345}'"),
            ("a\u{1b}[31m'\\", "$'a\\x1b[31m\\'\\\\'"), ("\n", "$'\\x0a'"), ("\u{202e}x", "$'\\xe2\\x80\\xaex'"),
            ("\u{9b}", "$'\\xc2\\x9b'"),
        ])
    func shellWords(word: String, quoted: String) { #expect(ShellWord.quoted(word).text == quoted) }

    @Test("does not call another provider's host a GitHub server", arguments: ["codeberg.org", "bitbucket.org"])
    func otherServices(host: String) {
        let words = UserFacingError.notForSignIn(host: DisplayText(trusted: host))
        #expect(!words.hints.contains { $0.english.contains("github") }, "\(words.hints)")
        #expect(words.hints.contains { $0.english.contains("personal access token") })
        #expect(UserFacingError.notForSignIn(host: "git.example").hints.contains { $0.english.contains("gitlab") })
    }

    @Test("does not suggest setup while setup asks for a client ID")
    func secondTry() throws {
        for error in [SignInError.unknownClient, .deviceFlowDisabled, .deviceFlowUnsupported] {
            let words = try #require(
                UserFacingError.registration(error, host: "github.com", clientID: "Ov23liX", form: .gitHubOAuthApp))
            #expect(!words.hints.contains { $0.english.contains("credential-gitspace setup") }, "\(words.hints)")
        }
    }

    @Test("names the status of a page in place of the endpoints, and who can let gitspace past it")
    func blockedDiscovery() {
        func words(_ isPage: Bool, mayBeAnother: Bool) -> [String] {
            let error = UserFacingError.discovery(
                .blocked(status: 403, isPage: isPage), issuer: "https://git.example", host: "git.example",
                mayBeAnother: mayBeAnother)
            return [error.text.english] + error.hints.map(\.english)
        }
        let hint = [
            "if a bot filter or a login page protects the server, its administrator must exempt:",
            "  https://git.example/.well-known/openid-configuration",
        ]
        #expect(
            words(true, mayBeAnother: false) == [
                "https://git.example sent a web page instead of its sign-in endpoints (status 403)"
            ] + hint)
        #expect(
            words(false, mayBeAnother: true) == [
                "https://git.example does not let gitspace read its sign-in endpoints (status 403)"
            ] + hint + [
                "if another server issues the tokens, set its URL:",
                "  git config --global credential.https://git.example.oauthIssuer <https URL>",
            ])
    }

    @Test("names the setting of the certificates in force, and no command that redirects")
    func certificates() {
        let hints = { (error: TransportError) in error.words(host: "h").hints.map(\.english) }
        #expect(hints(.untrustedBy(setting: "GIT_SSL_CAINFO")).last == "  printenv GIT_SSL_CAINFO")
        #expect(
            hints(.untrustedBy(setting: "http.sslCAInfo")).last == "  git config --show-origin --get-all http.sslCAInfo"
        )
        #expect(!hints(.untrusted).joined().contains("<"))
    }

    @Test("names an unknown word, and calls an option an option")
    func unknownWords() {
        let text = { (word: DisplayText) in UserFacingError.noSuchVerb(word, nearest: nil).text.english }
        #expect(text("logn") == "unknown command: logn")
        #expect(text("-x") == "unknown option '-x'" && text("--frobnicate") == "unknown option '--frobnicate'")
    }

    @Test("encodes text as JSON that reads back the same", arguments: ["a\"b\\", "\"\u{301}", "\\\u{301}"])
    func json(text: String) {
        let string = JSONText.string(DisplayText(trusted: text))
        #expect(JSONValue(parsing: Array(string.utf8))?.string == Array(text.utf8))
    }
}
