import TestSupport
import Testing

@Suite("The verb doctor: machine, hosts")
struct DoctorTests: HelperSuite {
    private let examination = Examination()
    private var machine: ScriptedInspections { examination.machine }
    var helper: HelperFixture { examination.helper }

    @Test("prints one line for each check if everything is in order")
    func inOrder() {
        examination.helper.stored(expiresIn: 3_600)
        machine.gitConfiguration?.append(("global", "file:/g", "http.https://github.com.proactiveauth\nbasic"))
        let before = doubles.keyring.items.map(\.path)
        let found = examination.found(accounts: GitHubAnswers.user("octocat"))
        #expect(found.allSatisfy { $0.result == .ok && $0.hints.isEmpty }, "\(found.texts)")
        #expect(
            found.map(\.check) == [
                .locks, .landlock, .git, .helpers, .program, .bus, .provider, .collection, .roundTrip, .network, .clock,
                .clientID, .account, .git,
            ])
        #expect(doubles.keyring.items.map(\.path) == before)
        #expect(!doubles.keyring.calls.contains(.unlock) && prompts.isEmpty)
        #expect(found.everything.contains("ghu_old") == false)
    }

    @Test(
        "names what this version of git does not support, without a fault",
        arguments: [
            ("git version 2.39.5 (Apple Git-154)", .ok, "password_expiry_utc"),
            ("git version 2.40.1", .ok, ": oauth_refresh_token (2.41), state[] (2.46)"),
            ("git version 2.45.0", .ok, ": state[] (2.46)"), ("git version 2.46.rc1", .ok, nil),
            ("git version 3.0.0", .ok, nil), ("hello", .fail, nil), (nil, .fail, nil),
        ] as [(String?, Diagnosis.Result, String?)])
    func git(version: String?, result: Diagnosis.Result, lacks: String?) throws {
        let found = Examination.diagnoses(.git) { $0.machine.gitVersion = { version.map { $0 + "\n" } } }
        let first = try #require(found.first)
        #expect(first.result == result)
        if let lacks { #expect(first.text.contains(lacks), "\(first.text)") }
    }

    @Test("warns of root for another person, and of settings that forbid a sign-in")
    func user() {
        machine.isRoot = true
        doubles.environment = ["SUDO_USER": "mona\u{1b}[2J", "CI": "true"]
        let found = examination.found()
        #expect(
            found.prefix(2).map(\.check) == [.user, .interaction] && found.prefix(2).allSatisfy { $0.result == .warn })
        #expect(!found.everything.contains("\u{1b}"))
    }

    @Test("reports a program that git does not find, that does not run, or that is another version")
    func program() {
        func result(_ change: (ScriptedInspections) -> Void) -> [Diagnosis.Result] {
            Examination.diagnoses(.program) { change($0.machine) }.results
        }
        let absent = Examination.diagnoses(.program) { $0.machine.programs = [:] }
        #expect(
            absent.results == [.fail]
                && absent.texts == ["git-credential-gitspace is not on the PATH, so git cannot find it"])
        #expect(result { $0.programVersion = nil } == [.fail])
        #expect(result { $0.programVersion = "git-credential-gitspace 0.9\n" } == [.warn])
        let byPath = ("global", "file:/g", "credential.helper\n/opt/git-credential-gitspace --x")
        #expect(result { $0.gitConfiguration = [byPath] } == [.fail])
        #expect(
            result {
                $0.gitConfiguration = [byPath]
                $0.programs["/opt/git-credential-gitspace"] = "/opt/git-credential-gitspace"
            } == [.ok])
    }

    @Test("reports a missing client ID as a fault, and takes a configured host in place of github.com")
    func clientID() {
        doubles.builtInClientID = nil
        let missing = examination.found(.clientID)
        #expect(missing.results == [.fail])
        #expect(missing.first?.hints.last == "  git credential-gitspace setup github.com")
        doubles.configure("credential", "https://ghe.example:8443", ["provider": "github", "oauthClientId": "Iv1.1"])
        respond(.json("{}"))
        let found = examination.diagnoses(.clientID)
        #expect(found.texts == ["there is an OAuth client ID for ghe.example:8443"])
        #expect(requests.last?.address == "https://ghe.example:8443/api/v3/rate_limit")
    }

    @Test("calls GitLab's client ID an Application ID")
    func applicationID() {
        doubles.builtInClientID = nil
        doubles.configure("credential", "https://gitlab.example", "provider", "gitlab")
        doubles.transport.otherwise = .json("{}", status: 404)
        #expect(
            examination.diagnoses(.clientID).texts == [
                "there is no Application ID for gitlab.example, so you cannot sign in with the browser"
            ])
        doubles.configure("credential", "https://gitlab.example", "oauthClientId", "mine")
        #expect(examination.diagnoses(.clientID).texts == ["there is an Application ID for gitlab.example"])
    }

    @Test("finds a client ID that the host rejects without a person, and concludes nothing from other answers")
    func refusedClient() {
        func found(_ answer: HTTPResponse, flow: String? = nil) -> [Diagnosis] {
            Examination.diagnoses(.clientID) {
                if let flow { $0.doubles.configure("credential", nil, "gitspaceFlow", flow) }
                $0.doubles.transport.answer(answer)
                $0.doubles.transport.aside = { _ in nil }
            }
        }
        let unknown = found(.json("{\"error\":\"Not Found\"}", status: 404))
        #expect(unknown.results == [.fail])
        #expect(unknown.texts == ["github.com does not recognize the client ID Iv1.0123456789abcdef"])
        #expect(unknown.first?.hints.last?.hasPrefix("  git config --global credential.https://github.com.") == true)
        let disabled = GitHubAnswers.error("device_flow_disabled", "Device Flow must be enabled.")
        #expect(found(disabled).results == [.fail])
        #expect(found(disabled, flow: "browser").results == [.ok])
        #expect(found(GitHubAnswers.device).results == [.ok])
        #expect(found(.page(status: 503)).results == [.ok])
    }

    @Test(
        "reports each fault on the way as its own check",
        arguments: [
            (TransportError.unreachable, Diagnosis.Check.network), (.timedOut, .network), (.malformed, .network),
            (.proxy(setting: "http.proxy"), .proxy), (.untrusted, .certificate),
        ])
    func network(error: TransportError, check: Diagnosis.Check) {
        doubles.transport.fail(error)
        let found = examination.diagnoses().filter { [.network, .proxy, .certificate].contains($0.check) }
        #expect(found.map(\.check) == [check] && found.results == [.fail])
    }

    @Test("counts a page that is too large as an answer, and asks nothing after a server's error")
    func answers() {
        doubles.transport.fail(.tooLarge)
        respond(.json("{}"), GitHubAnswers.device)
        #expect(examination.diagnoses(.network).results == [.ok])
        let trouble = Examination()
        trouble.doubles.transport.answer(.page(status: 503))
        #expect(trouble.diagnoses().suffix(3).map(\.result) == [.fail, .skip, .skip])
    }

    @Test("takes a lock, and names the folder and the error if that fails")
    func lock() {
        doubles.locks.fault = .failed(folder: "/home/mona/.local/state", reason: "No locks available")
        let found = examination.found(.locks)
        #expect(found.results == [.fail])
        #expect(found.everything.contains("cannot lock files in /home/mona/.local/state"))
        #expect(found.everything.contains("No locks available"))
    }

    @Test(
        "accepts a clock that is off by a minute",
        arguments: [
            ("Tue, 14 Nov 2023 22:12:20 GMT", .ok), ("Tue, 14 Nov 2023 22:14:20 GMT", .ok),
            ("Tue, 14 Nov 2023 22:12:19 GMT", .fail), ("Tue, 14 Nov 2023 23:13:20 GMT", .fail), ("yesterday", .skip),
            (nil, .skip),
        ] as [(String?, Diagnosis.Result)])
    func clock(date: String?, result: Diagnosis.Result) {
        #expect(examination.found(.clock, date: date).first?.result == result)
    }

    @Test("reports a missing account, one that cannot be read without a prompt, and a keyring that fails")
    func accounts() {
        func result(prepare: (HelperFixture) -> Void) -> [Diagnosis.Result] {
            Examination.diagnoses(.account) { prepare($0.helper) }.results
        }
        #expect(result { _ in } == [.skip])
        let confirming: (HelperFixture) -> Void = {
            $0.stored(expiresIn: 3_600)
            $0.doubles.keyring.isLocked = true
            $0.doubles.keyring.unlocking = .locked
        }
        #expect(result(prepare: confirming) == [.skip])
        #expect(result { $0.doubles.keyring.fault = .disconnected } == [.fail])
    }

    @Test("contacts no further host after a minute")
    func patience() {
        machine.gitVersion = {
            self.doubles.clock.advance(milliseconds: 60_000)
            return nil
        }
        #expect(examination.diagnoses(.network).results == [.skip] && requests.isEmpty)
    }

    @Test("reports a line without its host once, with its file")
    func linesWithoutHost() {
        let file = "file:/home/octocat/.gitconfig"
        machine.gitConfiguration? += [
            ("global", file, "credential.provider\ngithub"), ("global", file, "credential.provider\nGitHub"),
            ("global", file, "credential.https://*.example.oauthclientsecret\nhunter2"),
            ("global", file, "credential.https://ghe.example.oauthclientsecret\nhunter2"),
            ("global", file, "credential.https://*.example.provider\nnone"),
            ("global", file, "credential.provider\ngeneric"),
            ("local", "file:.git/config", "credential.provider\ngithub"),
            ("command", "command line:", "credential.provider\ngithub"),
        ]
        let found = examination.found(.configuration)
        #expect(found.results == [.warn, .warn])
        #expect(
            found.texts == [
                "credential.provider in /home/octocat/.gitconfig is ignored: this setting must be set for a single host",
                "credential.https://*.example.oauthclientsecret in /home/octocat/.gitconfig is ignored: "
                    + "this setting must be set for a single host",
            ])
        #expect(found.everything.contains("git config --file /home/octocat/.gitconfig --edit"))
        #expect(!found.everything.contains("hunter2"))
    }

    @Test("names unknown values and misspelt keys, and nothing of git or another program")
    func misunderstoodLines() {
        let file = "file:/home/octocat/.gitconfig"
        machine.gitConfiguration? += [
            "credential.https://github.com.gitspaceauthtype\nbeerer", "credential.gitspaceaccessible\nture",
            "credential.https://ghe.example.oauthtokenurl\nhttp://ghe.example/t", "credential.gitspacestroe\ncache",
            "credential.https://ghe.example.oauthclientid2\nx", "credential.https://ghe.example.provider\ngithbu",
            // These values are right, or another program's.
            "credential.gitspaceflow\nDevice", "credential.gitspaceshortlived\nON", "credential.usehttppath\ntrue",
            "credential.https://ghe.example.oauthredirecturi\nx", "credential.credentialstore\nsecretservice",
            "credential.https://bitbucket.org.provider\nazure-repos", "credential.username\nmona",
        ].map { ("global", file, $0) }
        let found = examination.found(.configuration)
        #expect(found.results == Array(repeating: .warn, count: 6))
        #expect(
            found.texts == [
                "unknown value for credential.https://github.com.gitspaceauthtype in /home/octocat/.gitconfig: beerer",
                "unknown value for credential.gitspaceaccessible in /home/octocat/.gitconfig: ture",
                "unknown value for credential.https://ghe.example.oauthtokenurl in /home/octocat/.gitconfig: "
                    + "http://ghe.example/t",
                "gitspace has no setting credential.gitspacestroe (in /home/octocat/.gitconfig)",
                "gitspace has no setting credential.https://ghe.example.oauthclientid2 (in /home/octocat/.gitconfig)",
                "unknown value for credential.https://ghe.example.provider in /home/octocat/.gitconfig: githbu",
            ])
        #expect(found.first?.hints.first == "use one of these, or remove the line: basic, bearer")
        #expect(found.dropFirst(3).first?.hints.first == "did you mean gitspaceStore?")
    }

    @Test("reports an unknown value of a restricting setting as a failure, once, with its file")
    func unknownRestriction() {
        machine.gitConfiguration?.append(("global", "file:/g", "credential.gitspacestore\nkeyring"))
        doubles.configure("credential", nil, "gitspaceStore", "keyring")
        let found = examination.found(.configuration)
        #expect(
            found.results == [.fail] && found.texts == ["unknown value for credential.gitspacestore in /g: keyring"])
        #expect(found.first?.hints.first == "use one of these, or remove the line: auto, secretservice, cache")
    }

    @Test("reports that a helper does not exist, and not that it receives tokens")
    func missingHelper() {
        machine.gitConfiguration?.append(
            ("global", "file:/home/octocat/.gitconfig", "credential.https://github.com.helper\n/opt/gone/helper"))
        examination.answer()
        #expect(
            examination.diagnoses(.helpers).texts == [
                "git is configured to run a program that does not exist: /opt/gone/helper"
            ])
        machine.programs["/opt/gone/helper"] = "/opt/gone/helper"
        #expect(examination.found(.helpers).texts.first?.contains("receives") == true)
    }

    @Test("names the setting for a certificate file that cannot be read")
    func missingCertificates() {
        doubles.transport.fail(.misconfigured(.unreadable(.certificateFile, "/gone.pem")))
        let found = examination.diagnoses(.network)
        #expect(found.texts == ["cannot reach github.com: the certificate file '/gone.pem' cannot be read"])
        let command = "  git config --show-origin --get-regexp '^http\\..*ssl'; printenv | grep SSL"
        #expect(found.first?.hints.last == command)
    }

    @Test("names the hosts beyond the eighth as left out")
    func leftOut() {
        for number in 1...8 {
            doubles.configure("credential", "https://g\(number).example", ["provider": "gitlab", "oauthClientId": "c"])
        }
        doubles.transport.aside = { _ in .json("{}", status: 404) }
        let last = examination.diagnoses(.network).texts.last ?? ""
        #expect(last.hasPrefix("did not check ") && last.hasSuffix(": no more than 8 hosts are checked"), "\(last)")
    }

    @Test("finds git even if its configuration cannot be read")
    func unreadableConfiguration() {
        machine.gitVersion = { nil }
        doubles.configurationFault = .failed
        #expect(examination.diagnoses(.git).results == [.skip])
    }

    @Test("prints a line with a mark for each check and hints below it, and exits with 1 after a fault")
    func lines() throws {
        doubles.builtInClientID = nil
        machine.isLocked = true
        machine.canPrompt = true
        examination.answer()
        let (status, text) = try verb.run("doctor")
        #expect(status == .failed && verb.printed.isEmpty && doubles.errors.isEmpty)
        #expect(
            text.filter { !$0.hasPrefix("[ OK ]") } == [
                "[FAIL] there is no OAuth client ID for github.com, so you cannot sign in with the browser",
                "       register one:", "         git credential-gitspace setup github.com",
                "[WARN] the keyring is locked; it will ask for its password when needed",
                "[SKIP] did not test writing to the keyring, because it is locked",
                "[SKIP] cannot tell who is signed in to github.com without the keyring", "",
                "Problems: 1. Warnings: 1. Checks passed: 5.",
            ])
        #expect(!text.contains { $0.contains("lock files") })
        examination.answer()
        #expect(try verb.run("doctor", "--verbose").text.contains { $0.contains("lock files") })
    }

    @Test("prints only the findings before Ctrl-C, and contacts no host after it")
    func interrupted() throws {
        machine.gitVersion = {
            self.examination.verb.isInterrupted = true
            return nil
        }
        let (status, found) = examination.examine()
        #expect(status == .cancelled && found.map(\.check) == [.locks, .landlock] && requests.isEmpty)
        #expect(verb.printed.hasPrefix("[\n  {") && verb.printed.hasSuffix("}\n]\n"))
        #expect(try verb.run("doctor") == (.cancelled, ["", "Stopped before everything was checked."]))
    }

    @Test("checks only the named host, and no unknown one")
    func oneHost() throws {
        examination.helper.stored(expiresIn: 3_600)
        examination.answer(accounts: GitHubAnswers.user("octocat"))
        let text = try verb.run("doctor", "https://github.com/acme/x").text
        #expect(text.contains { $0.contains("github.com accepts the token of octocat") }, "\(text)")
        #expect(try verb.run("doctor", "git.example").status == .failed)
        #expect(doubles.errors == [.notForSignIn(host: "git.example")])
    }
}
