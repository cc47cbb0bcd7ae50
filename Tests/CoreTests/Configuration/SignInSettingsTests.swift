import CredentialCore
import TestSupport
import Testing

@Suite("Sign-in settings")
struct SignInSettingsTests {
    private func settings(
        _ keys: [String: String], of url: String? = "https://ghe.example", environment: [String: String] = [:],
        host: String = "ghe.example"
    ) throws -> SignInSettings {
        try settings(keys.map { (url, $0.key.lowercased(), $0.value) }, environment: environment, host: host)
    }

    private func settings(
        _ lines: [(url: String?, key: String, value: String)], environment: [String: String] = [:],
        host: String = "ghe.example"
    ) throws -> SignInSettings {
        let entries = lines.map {
            ConfigurationEntry(section: "credential", subsection: $0.url, key: $0.key, value: $0.value)
        }
        let name = try #require(HostName(Array(host.utf8)))
        return try SignInSettings(Configuration(entries, for: name), host: name) { environment[$0] }
    }

    @Test(
        "keeps the usual defaults without any entry, for empty values and an unknown provider",
        arguments: [
            [:],
            [
                "provider": "sourceforge", "gitspaceStore": "", "oauthClientId": "", "oauthClientSecret": "",
                "gitspaceFlow": "", "gitspaceAuthType": "bear", "gitspaceCollection": "",
            ],
        ] as [[String: String]])
    func defaults(keys: [String: String]) throws {
        let settings = try settings(keys)
        #expect(settings.provider == nil && settings.clientID == nil && settings.clientSecret == nil)
        #expect(settings.scopes == nil && settings.deviceAuthorizationEndpoint == nil && settings.tokenEndpoint == nil)
        #expect(settings.mayStartFromGit && settings.store == .auto && settings.collection == nil && !settings.isBearer)
    }

    @Test("reads each setting by our name or git-credential-oauth's")
    func everything() throws {
        let settings = try settings([
            "provider": "GitHub", "oauthClientId": "Iv1.a", "oauthClientSecret": "s3cret", "oauthScopes": "repo",
            "oauthDeviceAuthURL": "https://login.example/device", "oauthTokenURL": "/oauth/token",
            "oauthAuthURL": "/oauth/authorize", "gitspaceFlow": "Browser", "gitspaceStore": "cache",
            "gitspaceCollection": "login",
        ])
        #expect(settings.provider == .github && !settings.isPlainStore && settings.scopes == "repo")
        #expect(settings.clientID == "Iv1.a" && settings.clientSecret?.text == "s3cret")
        #expect(settings.deviceAuthorizationEndpoint?.text == "https://login.example/device")
        #expect(settings.tokenEndpoint?.text == "https://ghe.example/oauth/token")
        #expect(settings.authorizationEndpoint?.text == "https://ghe.example/oauth/authorize")
        #expect(settings.mayStartFromGit && settings.flow == .browser)
        #expect(settings.store == .cache && settings.collection == "login")
        let ported = "ghe.example:8443"
        let other = try self.settings(["oauthTokenURL": "/t"], of: "https://\(ported)", host: ported)
        #expect(other.tokenEndpoint?.text == "https://ghe.example:8443/t")
    }

    @Test(
        "has no provider for a plain store or an unknown word",
        arguments: [("none", true), ("NONE", true), ("gogs", false), ("bitbucket", false), ("git", false)])
    func plainStore(word: String, isPlainStore: Bool) throws {
        let settings = try settings(["provider": word])
        #expect(settings.provider == nil && settings.isPlainStore == isPlainStore)
    }

    @Test(
        "ignores an endpoint that is not https",
        arguments: ["http://ghe.example/t", "token", "https://a@b/", "ftp://x/"])
    func endpoints(text: String) throws { #expect(try settings(["oauthTokenURL": text]).tokenEndpoint == nil) }

    @Test("gitspaceFlow=none forbids sign-ins that git starts", arguments: ["none", "NONE"])
    func noFlow(word: String) throws {
        let settings = try settings(["gitspaceFlow": word])
        #expect(!settings.mayStartFromGit && settings.flow == .auto)
    }

    @Test("prefers a nonempty variable of the environment")
    func environment() throws {
        let keys = ["oauthClientId": "configured"]
        #expect(try settings(keys, environment: ["GITSPACE_CLIENT_ID": "variable"]).clientID == "variable")
        #expect(try settings(keys, environment: ["GITSPACE_CLIENT_ID": ""]).clientID == "configured")
    }

    @Test("compares values without case")
    func anyCase() throws {
        let settings = try settings([
            "gitspaceStore": "SecretService", "githubAppId": "1", "githubAppScope": "Repository",
            "gitspaceAuthType": "BEARER", "oauthAssertionAudience": "Endpoint",
        ])
        #expect(settings.store == .secretservice && settings.app?.isRestricted == true)
        #expect(settings.isBearer && settings.assertsToEndpoint)
    }

    @Test(
        "throws an error for an unknown value of a restricting setting",
        arguments: [(SettingKey.gitspaceStore, "secret-service"), (.gitspaceFlow, "nobody"), (.githubAppScope, "repo")])
    func unknownValue(key: SettingKey, value: String) throws {
        #expect(throws: ConfigurationError.unknownValue(key, value)) { _ = try settings([key.rawValue: value]) }
        #expect(throws: Never.self) { _ = try settings([key.rawValue: value], host: "other.example") }
    }

    @Test(
        "reads the minimal validity in seconds, minutes or hours, at most a day, and five minutes by default",
        arguments: [
            (nil, 300), ("0", 0), ("90", 90), ("90s", 90), ("10m", 600), ("2h", 7_200), ("24h", 86_400),
            ("86400", 86_400), ("99h", 86_400), ("", 300), ("m", 300), ("-5", 300), ("soon", 300), ("5d", 300),
            ("1.5h", 300), ("99999999999999999999", 300),
        ] as [(String?, Int64)])
    func minValidity(text: String?, seconds: Int64) {
        #expect(SignInSettings.minValidity { $0 == "GITSPACE_MIN_VALIDITY" ? text : nil } == seconds)
    }

    @Test(
        "ignores a provider, a secret and endpoints without a host, but not a client ID",
        arguments: [nil, "https://", "https://*.example", "*.example"] as [String?])
    func nobodysHost(url: String?) throws {
        let keys = [
            "provider": "github", "oauthclientsecret": "s3cret", "oauthdeviceauthurl": "/d", "oauthtokenurl": "/t",
            "oauthauthurl": "/a", "oauthclientid": "Iv1.a", "oauthscopes": "repo", "gitspaceauthtype": "bearer",
            "githubappid": "4711", "githubappkey": "/k", "githubappscope": "repository",
            "oauthissuer": "https://id.example", "oauthclientkey": "/key.pem", "oauthclientkeyid": "1",
            "oauthassertionaudience": "endpoint", "oauthredirecturl": "http://127.0.0.1:8080/", "oauthprompt": "login",
        ]
        #expect(Set(SettingKey.allCases.filter(\.isForHost).map(\.lowercased)).isSubset(of: keys.keys))
        for host in ["ghe.example", "tenant.ghe.com"] {
            let settings = try settings(keys, of: url, host: host)
            #expect(settings.provider == nil && settings.clientSecret == nil && !settings.isPlainStore)
            #expect(settings.redirectURL == nil && settings.prompt == nil)
            #expect(!settings.isBearer && settings.app == nil && !settings.namesProvider)
            #expect(settings.deviceAuthorizationEndpoint == nil && settings.tokenEndpoint == nil)
            #expect(settings.authorizationEndpoint == nil)
            #expect(settings.issuer == nil && settings.clientKey == nil && settings.clientKeyID == nil)
            #expect(!settings.assertsToEndpoint)
            if url == nil { #expect(settings.clientID == "Iv1.a" && settings.scopes == "repo") }
        }
    }

    @Test("makes plain stores of many hosts by one line, from which another line excepts one")
    func plainStores() throws {
        func settings(_ lines: (url: String?, provider: String)...) throws -> SignInSettings {
            try self.settings(lines.map { ($0.url, "provider", $0.provider) })
        }
        #expect(try settings((nil, "none")).isPlainStore)
        #expect(try settings(("https://*.example", "None")).isPlainStore)
        let named = try settings((nil, "none"), ("https://ghe.example", "github"))
        #expect(!named.isPlainStore && named.provider == .github)
        let unnamed = try settings(("https://ghe.example", "none"), (nil, "github"), ("https://*.example", "github"))
        #expect(unnamed.isPlainStore && unnamed.provider == nil)
    }
}

@Suite("Permission to start a sign-in")
struct InteractivityTests {
    private func prohibition(
        environment: [String: String] = [:], interactive: String? = nil, url: String? = nil, isMaintenance: Bool = false
    ) -> Interactivity.Prohibition? {
        let entries = interactive.map {
            [ConfigurationEntry(section: "credential", subsection: url, key: "interactive", value: $0)]
        }
        let configuration = Configuration(entries ?? [], for: HostName(name: "github.com"))
        return Interactivity.prohibition(configuration, environment: { environment[$0] }, isMaintenance: isMaintenance)
    }

    @Test(
        "forbids a sign-in by these values of each variable and names it, and allows it by others and by default",
        arguments: [
            ("GIT_TERMINAL_PROMPT", "0", "GIT_TERMINAL_PROMPT=0"),
            ("GIT_TERMINAL_PROMPT", "false", "GIT_TERMINAL_PROMPT=0"),
            ("GIT_TERMINAL_PROMPT", "No", "GIT_TERMINAL_PROMPT=0"), ("GCM_INTERACTIVE", "0", "GCM_INTERACTIVE"),
            ("GCM_INTERACTIVE", "never", "GCM_INTERACTIVE"), ("GCM_INTERACTIVE", "FALSE", "GCM_INTERACTIVE"),
            ("CI", "true", "CI"), ("CI", "1", "CI"), ("CI", "woodpecker", "CI"),
            ("VSCODE_GIT_FETCH_SILENT", "1", "VSCODE_GIT_FETCH_SILENT"),
            ("VSCODE_GIT_FETCH_SILENT", "", "VSCODE_GIT_FETCH_SILENT"), ("GIT_TERMINAL_PROMPT", "1", nil),
            ("GIT_TERMINAL_PROMPT", "true", nil), ("GCM_INTERACTIVE", "1", nil), ("GCM_INTERACTIVE", "auto", nil),
            ("CI", "", nil), ("CI", "0", nil), ("CI", "false", nil), ("CI", "off", nil),
        ] as [(String, String, String?)])
    func environment(variable: String, value: String, setting: String?) {
        #expect(prohibition() == nil && prohibition(environment: [variable: value])?.setting.text == setting)
    }

    @Test(
        "reads credential.interactive only without a URL, as git does",
        arguments: [
            ("false", true), ("never", true), ("0", true), ("00", true), ("", true), ("10", false), ("true", false),
            ("auto", false), ("always", false),
        ])
    func configured(value: String, isForbidden: Bool) {
        #expect((prohibition(interactive: value) != nil) == isForbidden)
        #expect(prohibition(interactive: value, url: "https://github.com") == nil)
    }

    @Test("reports git's own two settings as binding for git too")
    func bindsGit() {
        #expect(prohibition(environment: ["GIT_TERMINAL_PROMPT": "0"])?.bindsGit == true)
        #expect(prohibition(interactive: "never")?.bindsGit == true)
        #expect(prohibition(environment: ["GCM_INTERACTIVE": "0"])?.bindsGit == false)
        #expect(prohibition(environment: ["CI": "1"])?.bindsGit == false)
        #expect(prohibition(interactive: "false", isMaintenance: true)?.bindsGit == true)
        #expect(prohibition(isMaintenance: true)?.setting == "git maintenance")
        #expect(prohibition(environment: ["CI": "1", "GIT_TERMINAL_PROMPT": "0"])?.bindsGit == true)
    }
}
