import CredentialCore
import Foundation
import Helper
import Language
import Staging
import TestSupport
import Testing

@testable import Providers
@testable import Verbs

@Suite("Error messages for people")
struct UserFacingErrorTests {
    static let flowErrors: [SignInError] = [
        .transport(.unreachable), .unavailable(status: 503), .unavailable(status: 500, saying: "x (y)"),
        .unavailable(status: 200), .unavailable(status: 403), .noDeviceFlow, .invalidScope("a b"), .clientSecretWanted,
        .unknownClient, .clientUnknownOrUnproven, .clientOrProofUnknown, .noIDToken, .deviceFlowDisabled,
        .deviceFlowUnsupported,
        .declined, .expired, .invalidGrant, .unverifiedUserEmail, .refused("code"), .malformedAnswer, .foreignAddress,
        .tokenRejected, .codeFlowUnsupported, .clientConfidential, .clientSecretRejected, .noRedirect,
        .redirectTaken(port: 8_080, by: nil), .redirectTaken(port: 8_080, by: "nc"), .malformedRedirect("ftp://x"),
        .foreignIssuer(nil), .foreignIssuer("id.example"), .busy(seconds: 1), .unanswered,
    ]
    static let keyringErrors: [KeyringError] = [
        .noBus, .foreignBus(.user(12_345)), .foreignBus(.user(12_345, bySudo: true)), .foreignBus(.address("tcp:")),
        .noProvider, .noCollection, .noSuchCollection("work"), .locked, .dismissed, .unresponsive(seconds: 5), .denied,
        .disconnected, .noPlugin, .unstorable, .interrupted, .other("x"), .notReady, .unconfigured(.noGit),
    ]
    static let misconfigurations: [Misconfiguration] = [
        .relativePath(.certificateDirectory, "certs"), .unreadable(.certificateFile, "/c.pem"),
        .unreadable(.clientCertificate, "/c.pem"), .unreadable(.clientKey, "/k.pem"), .certificates("/c.pem"),
        .certificates(nil), .address(HTTPSAddress(host: "h.example")), .credential, .signature, .memory, .libraryStart,
        .libraryOption(code: 1), .libraryFeature(code: 2),
    ]
    static let transportErrors: [TransportError] = [
        .unreachable, .proxy(setting: "http.proxy"), .proxy(setting: "https_proxy"), .timedOut, .untrusted,
        .untrustedBy(setting: "GIT_SSL_CAINFO"), .untrustedBy(setting: "http.sslCAInfo"),
        .outsideValidity(isExpired: true), .outsideValidity(isExpired: false),
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
        .requestRefused(.tooLong), .requestRefused(.malformedLine), .requestRefused(.controlByte(attribute: .host)),
        .requestRefused(.contradiction(attribute: .host)), .requestRefused(.missing(attribute: .host)),
        .requestRefused(.malformedHost), .downgrade, .nobodyHere(host: "h.example", because: nil),
        .nobodyHere(host: "h.example", because: "CI"), .noClientID(host: "h.example"),
        .serverInTrouble(host: "h.example", status: 500),
        .refreshRefused(host: "h.example", .invalidGrant, SignInAgain(account: nil)),
        .clientRefused(host: "h.example", clientID: "Iv1.0", .invalidClient), .otherNotFinished(host: "h.example"),
        .lockImpossible, .notForSignIn(host: "h.example"),
        .mistypedHost("githb.com", meant: "github.com", command: "login github.com"),
        .nothingToRemove(host: "h.example", nil), .nothingToRemove(host: "h.example", .noProvider),
        .noSuchVerb("logn", nearest: "login"), .noKeyringPassword, .gitLacksProactive("2.39"), .nothingToConfigure,
        .malformedHostArgument("git hub.com", verb: "login"), .plainHTTPArgument("http://github.com", verb: "setup"),
        .tokenRefused(host: "h.example", page: nil), .notForSignIn(host: "codeberg.org"),
        .notForSignIn(host: "bitbucket.org"), .noSuchVerb("-x", nearest: nil),
    ]
    /// Errors about accounts and tokens, whose hints may have several commands.
    private static let ofTokens: [UserFacingError] = [
        .nobodysAccount("git", host: "h.example", .person),
        .nobodysAccount("git", host: "h.example", .configuration(key: "credential.username")),
        .nobodysAccount(nil, host: "h.example", .repository(.submodule, remote: "origin", "h.example/a/b")),
        .noAccountNamed(host: "h.example", ["a", "b"]), .tokenNeeded(host: "h.example", page: page),
        .hostRecognized(RecognizedHost(.gitlab, "GitLab"), host: "h.example"), .gitLacksAuthtype(host: "h.example"),
        .tokenRefused(host: "h.example", "a/b", as: "mona", permissions: "read, write", page: page),
        .notAUsername(isAddress: true, host: "h.example"), .notAUsername(isAddress: false, host: "h.example"),
        .noRepository(on: "h.example"), .onlyTokens(host: "h.example"), .internationalName("h\u{e9}.example"),
        .providerBelowPath("https://h.example/x", host: "h.example"), .tokenNeedsName(host: "h.example"),
        .tokenNeedsAccount(host: "h.example"),
        .tokenOwnerUnknown(host: "h.example", permissions: "read"), .appPassword(host: "h.example", page: page),
        .wrongKeyringPassword, .passwordsDiffer, .unlockElsewhere(.keePassXC), .unlockElsewhere(.kwallet),
        .unlockElsewhere(.other("oo7")), .proactiveNeedsSignIn(host: "h.example"), .gitLacksProactive(nil),
        .setupNeedsPerson(host: "h.example", because: nil), .setupNeedsPerson(host: "h.example", because: "A=1"),
        .nothingToRevokeAt(host: "h.example"), .noRegistrationPage(host: "h.example"), .malformedClientID,
        .tokenIsShared(with: "gh", account: "mona", host: "h.example", " mona"),
        .nobodyToAsk(host: "h.example", because: nil), .nobodyToAsk(host: "h.example", because: "CI"),
        .clientIDNotKept(.locked("/f.lock"), host: "h.example", clientID: "c"),
        .clientIDNotKept(.locked("/f.lock"), host: "h.example", clientID: "c", form: .gitLabApplication),
        .clientRefused(host: "h.example", clientID: "c", .invalidClient, form: .gitLabApplication),
        .noClientID(host: "h.example", form: .gitLabApplication),
        .nobodyToAsk(host: "h.example", because: nil, form: .gitLabApplication),
        .nobodyToAsk(host: "h.example", because: "CI", form: .gitLabApplication),
        .configuration(.notPermitted("/f"), verb: "switch"), .configuration(.notPermitted("/f"), verb: "unconfigure"),
    ]
    static let all: [UserFacingError] = [
        flowErrors.compactMap { .signIn($0, host: "h.example", clientID: "c") }, keyringErrors.map { .keyring($0) },
        keyringErrors.map { .notSaved(.keyring($0)) }, keyringErrors.map { .keyringAbsent($0, host: "h.example") },
        transportErrors.map { .offline(host: "h.example", $0) }, others, setUp,
    ].flatMap { $0 }

    static let tokenErrors: [IDTokenError] = [
        .signature(.tooLong), .signature(.refusedAlgorithm("HS256")), .signature(.refusedAlgorithm(nil)),
        .signature(.unknownKey("k1")), .signature(.wrongSignature), .wrongType("at+jwt"), .malformedClaims,
        .missing(.subject), .malformed(.expiry), .wrongIssuer("https://other.example"), .foreignAudience, .expired,
        .fromTheFuture, .wrongNonce, .unusableAccount, .noIssuer, .keysUnavailable, .unusableKeys,
    ]
    static let keyErrors: [SigningKeyError] = [
        .absent, .unreadable, .notAFile, .relativePath, .noCredentialsDirectory, .symbolicLink, .foreignOwner,
        .accessibleToOthers, .folderOfOthers("/keys"), .encrypted, .publicKey, .severalKeys, .malformed,
        .unsupportedKind("ED25519"), .unsupportedSize(bits: 1_024), .signing,
    ]
    private static let page = HTTPSAddress(host: "h.example", path: "/apps")
    static let configurationErrors: [ConfigurationError] = [
        .noGit, .failed, .timedOut(seconds: 10), .tooLarge(mebibytes: 4), .notPermitted("/f"),
        .notText(key: "user.name"), .unknownValue(.gitspaceStore, "keyring"),
    ]
    static let discoveryErrors: [DiscoveryError] = [
        .malformedIssuer("http://id.example"), .tenantNeeded("id.example"), .transport(.timedOut),
        .unavailable(status: 502), .absent, .blocked(status: 403, isPage: true), .blocked(status: 403, isPage: false),
        .wrongIssuer("https://other.example"), .insecure(.token), .foreign(.authorization, host: "other.example"),
        .missing(.deviceAuthorization), .missing(.token),
    ]
    private static var answers: [RepositoryAnswer] {
        [
            .reached(.readOnly), .reached(RepositoryRights(mayPush: true, workflows: .unknown)),
            .reached(RepositoryRights(mayPush: true, missingScope: "repo", workflows: .missing)),
            .reached(RepositoryRights(mayPush: true, workflows: .granted)),
            .reached(RepositoryRights(mayPush: true, refusesPushes: true)), .moved, .tokenRejected,
            .singleSignOnRequired(page: page), .singleSignOnRequired(page: nil), .appRestricted, .appNotInstalled,
            .addressNotAllowed, .notFound, .notFoundByApp, .scopeMissing("repo"), .blocked, .refused(status: 403),
            .unavailable(status: 502), .malformed,
        ]
    }
    static let appErrors: [InstallationFailure] =
        [
            .incomplete(missing: .githubAppKey), .unsupported, .rejected(id: "4711"), .clock(ahead: 600),
            .clock(ahead: -600), .notInstalled(owner: "acme", page: page), .notInstalledAnywhere(page: page), .noOwner,
            .several(["acme", "other"]), .repositoryUnknown, .suspended(owner: "acme"),
            .repositoryNotIncluded("acme/private", page: page), .forbidden(status: 403), .exhausted(owner: "acme"),
            .transport(.timedOut), .rateLimited(minutes: 121), .unavailable(status: 502), .malformed(status: 200),
        ] + [.unsupportedKind("EC"), .unsupportedSize(bits: 1_024), .encrypted].map { .key($0, place: "/app.pem") }

    /// Every state above with its sentence and hints, as Tests/Support/error-words has them.
    private static func words() throws -> String {
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
        for reason in misconfigurations {
            add("\(reason)", TransportError.misconfigured(reason).words(host: "h.example"))
        }
        for error in discoveryErrors {
            for mayBe in [true, false] {
                let words = UserFacingError.discovery(
                    error, issuer: "https://id.example", host: "h.example", mayBeAnother: mayBe)
                add("discovery \(error)\(mayBe ? ", maybe elsewhere" : "")", words)
            }
        }
        for form: Registration.Form in [.gitHubOAuthApp, .gitLabApplication, .giteaApplication] {
            for error in flowErrors {
                let words = UserFacingError.registration(error, host: "h.example", clientID: "c", form: form)
                if words != .signIn(error, host: "h.example", clientID: "c") { add("\(form) \(error)", words) }
            }
        }
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
        for error in others + ofTokens { add("other \(error.code)", error) }
        for error in configurationErrors { add("unreadable \(error)", error.words) }
        let check = RepositoryWords(
            host: try #require(SignInHost(builtIn: HostName(name: "github.com"))), name: "acme/app", account: "mona",
            signInAgain: SignInAgain(account: "mona"))
        var findings: [(String, Finding)] = answers.map { ("\($0)", check.finding($0, now: 0)) }
        findings += [("no sign-in", check.notSignedIn(nil)), ("no need of one", check.notSignedIn(.readOnly))]
        for (state, finding) in findings {
            let lines = finding.canRead ? finding.lines : finding.hints
            add("check \(state): \(finding.result)", UserFacingError(.finding, finding.text, lines))
        }
        let keyring = InMemoryKeyring()
        keyring.put(StoredCredential(username: Array("mona".utf8), password: Secret("t")), for: "h.example")
        let match = try #require(keyring.items.first.flatMap { StoredMatch($0) })
        add("a token of nobody known", .storedOfAnother(Account(match, at: 0), host: "h.example"))
        return lines.joined()
    }

    @Test("says of each state what the list of sentences has for it")
    func sentences() throws { try WordList.compare(Self.words(), with: "error-words") }

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

    @Test("names an issuer's host with one scheme, and its document with one slash")
    func issuer() {
        let errors: [DiscoveryError] = [.transport(.clientCertificate(.wanted)), .blocked(status: 403, isPage: true)]
        let hints = errors.map { UserFacingError.discovery($0, issuer: "https://id.example/", host: "h.example").hints }
        #expect(hints[0].last?.english.contains(" http.https://id.example/.sslKey ") == true)
        #expect(hints[1][1].english == "  https://id.example/.well-known/openid-configuration")
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

    @Test("encodes text as JSON that reads back the same", arguments: ["a\"b\\", "\"\u{301}", "\\\u{301}"])
    func json(text: String) {
        let string = JSONText.string(DisplayText(trusted: text))
        #expect(JSONValue(parsing: Array(string.utf8))?.string == Array(text.utf8))
    }
}
