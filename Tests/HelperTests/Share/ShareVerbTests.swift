import TestSupport
import Testing

@testable import Share

/// The lines that a person reads during a share, with a test double as the target.
@Suite("The verb share")
struct ShareVerbTests: HelperSuite {
    let helper = HelperFixture()
    let targets: ScriptedShares
    let screen: ScriptedScreen

    init() {
        let (doubles, targets) = (helper.doubles, ScriptedShares(clock: helper.doubles.clock))
        let screen = ScriptedScreen(clock: helper.doubles.clock)
        self.targets = targets
        self.screen = screen
        helper.stored(expiresIn: 28_800, lifetime: 28_800)
        verb.sharing = { outside in
            ShareDependencies(
                shares: targets, screen: screen, clock: doubles.clock, dependencies: { .forTests(doubles) },
                own: outside.dependencies, say: outside.say, words: UserFacingError.unreachable)
        }
    }

    @Test("prints what is shared, how to reach it, the log and the end, in this order")
    func directory() throws {
        targets.asking = ["", ""]
        let (status, text) = try verb.run("share", "box", "--token", "--for", "8h")
        #expect(status == .done)
        let end = LocalTime.soon(Int64(RecordingClock.start) + 28_800, now: Int64(RecordingClock.start)).text
        let sharing = "Sharing your sign-in to github.com (as octocat) as \"box\" until \(end)."
        let root = "Root in the container gets your token and can use it until it expires."
        let asked = "You are not asked when it is used."
        #expect(text.prefix(4) == [sharing, root, asked, "For podman, replace IMAGE:"])
        // The second request is another process's, and gets no second line.
        let given = "github.com: gave the credentials of octocat to process 1 (user 1000)"
        #expect(text.suffix(3) == ["To stop, press Ctrl-C.", given, "\"box\" is no longer shared."])
        #expect(targets.saved?.uses == 2 && targets.saved?.end == Int64(RecordingClock.start + 28_800))
        #expect(targets.limits == [.init(end: 28_800_000, idle: nil)] && targets.closed == 1)
        // After Ctrl-C, the end is below the terminal's ^C.
        targets.end = .interrupted
        #expect(try verb.run("share", "box", "--token").text.suffix(2) == ["", "\"box\" is no longer shared."])
    }

    @Test("adds only the label option to the containers' commands if SELinux is on")
    func confined() throws {
        let open = try verb.run("share", "box", "--token").text
        targets.confinesContainers = true
        let confined = try verb.run("share", "box", "--token").text
        let engines = ["  podman run ", "  docker run "]
        let label = " --security-opt label=disable "
        #expect(engines.allSatisfy { engine in confined.contains { $0.hasPrefix(engine) && $0.contains(label) } })
        #expect(!open.contains { $0.contains("label") } && open == confined.map { $0.replacing(label, with: " ") })
    }

    @Test("refuses at the start what every request would be refused for, and opens nothing")
    func refusedAtStart() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        #expect(try verb.run("share", "box", "--token").status == .failed)
        #expect(try verb.run("share", "box", "--token", "--host", "gitlab.com").status == .failed)
        let endless = "your credentials for github.com do not expire, so whoever gets them can keep them"
        #expect(sentences == [endless, "you are not signed in to gitlab.com, so there is nothing to share"])
        let share = "  git credential-gitspace share box --token --long-lived"
        #expect(doubles.errors.map { $0.hints.last?.english } == [share, "  git credential-gitspace login gitlab.com"])
        // The hint that helps comes first.
        let first = doubles.errors.first?.hints.prefix(2).map(\.english)
        let app = "  git credential-gitspace setup github.com --github-app"
        #expect(first == ["sign in by a GitHub App, whose tokens expire:", app])
        #expect(targets.closed == 0)
        #expect(try verb.run("share", "box", "--token", "--long-lived").status == .done)
    }

    @Test("gives no token that does not expire, and names the option in the log and the list")
    func endless() throws {
        targets.asking = [""]
        // During the share, the person signs in in another way.
        targets.willServe = { [helper] in helper.stored(expiresIn: nil, refreshToken: nil) }
        let why = "the credentials do not expire; --long-lived allows it"
        let log = try verb.run("share", "box", "--token").text
        #expect(log.contains("github.com: refused process 1 (user 1000): \(why)"), "\(log)")
        #expect(targets.saved?.lastRefusal?.why == .doesNotExpire)
        targets.found = [FoundShare(name: ShareName(forDestination: "x"), record: targets.saved, isRunning: true)]
        let list = try verb.run("share", "list").text
        #expect(list.contains { $0.contains("Last refusal: ") && $0.hasSuffix(", \(why).") }, "\(list)")
    }

    @Test("prints the lines for the remote directory over ssh, and fails if the connection ends")
    func ssh() throws {
        targets.end = .disconnected
        #expect(
            try verb.run("share", "ssh", "me@dev", "--token", "--long-lived") == (
                .failed,
                [
                    "Sharing your sign-in to github.com (as octocat) as \"ssh-me-dev\".",
                    "Root in me@dev gets your credentials and can keep them, even if they do not expire.",
                    "You are asked once, and again after 8 hours or a screen lock.",
                    "For git on me@dev, run this there once:",
                    "  git config --global --replace-all credential.https://github.com.helper ''",
                    "  git config --global --add credential.https://github.com.helper 'cache --socket /run/user/7/gitspace of me@dev/socket'",
                    "To stop, press Ctrl-C.", "\"ssh-me-dev\" is no longer shared: ssh has ended.",
                ]
            ))
        targets.found = [FoundShare(name: ShareName(forDestination: "me@dev"), record: targets.saved, isRunning: true)]
        #expect(try verb.run("share", "list").text.first == "ssh-me-dev: github.com, by ssh to me@dev")
    }

    @Test("prints nothing to paste under systemd, and ends when idle")
    func activated() throws {
        doubles.configure("gitspace-share", "box", "host", "github.com")
        doubles.configure("gitspace-share", "box", "token", "true")
        targets.end = .idle
        let idle = "\"box\" was not used for 10 minutes. systemd starts it again when it is."
        #expect(try verb.run("share", "--serve", "box").text.suffix(2) == ["You are not asked when it is used.", idle])
        #expect(targets.limits == [.init(end: nil, idle: 600_000)])
    }

    @Test("reports a token that cannot be refreshed, and tries it again later")
    func notRefreshed() throws {
        var record = ShareRecord()
        record.given = ["hubot", "octocat"].map {
            ShareRecord.Account(host: Array("github.com".utf8), username: Array($0.utf8))
        }
        targets.saved = record
        #expect(try verb.run("share", "stop", "box").text.contains { $0.hasSuffix(" To end them now:") })
        respond(GitHubAnswers.gitHubAppToken)
        let (status, text) = try verb.run("share", "stop", "box", "--refresh")
        #expect(status == .failed && targets.saved != nil)
        #expect(text.prefix(2) == ["\"box\" is no longer shared.", "Refreshed the token of octocat for github.com."])
        #expect(text.last == "github.com accepts no copy of the old token any more.")
        #expect(doubles.errors.map(\.code) == [.accountNotStored])
    }

    @Test("does not claim that a refresh ends the old token if the server keeps it")
    func refreshedAtGitea() throws {
        doubles.configure("credential", "https://codeberg.org", "oauthClientId", "app")
        helper.stored(expiresIn: 3_600, clientID: "app", host: "codeberg.org")
        var record = ShareRecord()
        record.given = [ShareRecord.Account(host: Array("codeberg.org".utf8), username: Array("octocat".utf8))]
        targets.saved = record
        let (_, withoutRefresh) = try verb.run("share", "stop", "box")
        #expect(withoutRefresh.last == "The tokens that it got stay valid there until they expire.")
        respond(GiteaAnswers.discovery(), GiteaAnswers.token)
        let (status, text) = try verb.run("share", "stop", "box", "--refresh")
        #expect(status == .done && doubles.errors.isEmpty)
        #expect(text.last == "codeberg.org may accept copies of the old token until it expires.")
    }

    @Test("cannot lift git's configured limits by options, and shares nothing after an unknown key")
    func configured() throws {
        doubles.configure("gitspace-share", "box", "readOnly", "true")
        let first = try verb.run("share", "box", "--host", "github.com").text.first
        #expect(first == "Sharing github.com (as octocat) as \"box\": read only. No token is given away.")
        doubles.configure("gitspace-share", "box", "hots", "github.com")
        #expect(try verb.run("share", "box", "--host", "github.com").text.isEmpty)
        #expect(doubles.errors.map(\.code) == [.share])
    }

    private var shared: [String] {
        guard case .repositories(let names)? = targets.saved?.gateway?.scope else { return [] }
        return names.map { "\(DisplayText(untrusted: $0.host.text))/\($0.path)" }
    }

    /// Shares on a host where every repository exists.
    private func share(_ options: String...) throws -> [String] {
        targets.saved = nil
        doubles.transport.aside = { _ in .page(status: 200) }
        return try verb.run(["share", "box"] + options).text
    }

    @Test("takes a repository by its address, by its name with the host, and by its name alone")
    func repositories() throws {
        for host in ["github.com", "git.example"] { helper.stored(expiresIn: 28_800, host: host) }
        for name in [
            "acme/app", "git.example/acme/app", "https://git.example/acme/app.git", "git@git.example:acme/app",
        ] {
            _ = try share("--host", "git.example", "--repository", name)
            #expect(shared == ["git.example/acme/app"], "\(name)")
        }
        _ = try share("--host", "git.example", "--repository", "one.git")
        #expect(shared == ["git.example/one"])
        let text = try share("--repository", "https://git.example/one.git", "--repository", "acme/app")
        #expect(text.first?.hasPrefix("Sharing one on git.example, acme/app on github.com (as octocat) ") == true)
        #expect(shared == ["git.example/one", "github.com/acme/app"])
        #expect(targets.saved?.hosts.map { String(decoding: $0, as: UTF8.self) } == ["git.example", "github.com"])
        #expect(doubles.errors.isEmpty)
        _ = try share("--host", "git.example", "--repository", "https://github.com/acme/app")
        #expect(targets.saved == nil && sentences == ["\"https://github.com/acme/app\" is not on git.example"])
        doubles.configure("gitspace-share", "box", "host", "git.example")
        _ = try share("--repository", "acme/app", "--repository", "https://github.com/acme/app")
        #expect(shared == ["git.example/acme/app", "github.com/acme/app"])
    }

    @Test("does not move a configured repository to a host in the command")
    func configuredRepository() throws {
        for host in ["github.com", "git.example"] { helper.stored(expiresIn: 28_800, host: host) }
        doubles.configure("gitspace-share", "box", "repository", "acme/app")
        doubles.configure("gitspace-share", "box", "repository", "https://git.example/acme/lib")
        _ = try share("--host", "github.com")
        #expect(shared == ["github.com/acme/app"])
        _ = try share("--host", "git.example")
        #expect(shared == ["git.example/acme/lib"])
        _ = try share("--host", "gitlab.com")
        #expect(targets.saved == nil && sentences.last?.hasSuffix("another host than gitlab.com") == true)
    }

    @Test("asks about a name that looks like a form of the verb, unless an option has a host")
    func mistypedForm() throws {
        #expect(try verb.run("share", "lst").status == .failed && targets.closed == 0)
        #expect(doubles.errors.last?.hints[1].english == "  git credential-gitspace share list")
        #expect(try verb.run("share", "lst", "--host", "github.com").status == .done)
        doubles.configure("gitspace-share", "lst", "readOnly", "true")
        #expect(try verb.run("share", "lst").status == .done)
    }

    @Test("repeats every option whole in the line for an SSH host, and names repositories of other hosts by URLs")
    func lineForSSH() throws {
        helper.stored(expiresIn: 28_800, host: "git.example")
        let long = "acme/" + String(repeating: "x", count: 120)
        let text = try share(
            "--repository", "https://git.example/\(long).git", "--repository", long, "--branch", "agent/*",
            "--username", "octocat", "--confirm", "each", "--for", "8h")
        let repositories = "--repository https://git.example/\(long) --repository \(long) --branch 'agent/*' "
        let line = "  git credential-gitspace share ssh HOST " + repositories
        #expect(text.contains(line + "--username octocat --for 8h --confirm each"), "\(text)")
    }

    @Test("promises no question if nobody can be asked")
    func nobodyToAsk() throws {
        screen.canAsk = false
        let text = try verb.run("share", "ssh", "dev", "--username", "octocat", "--for", "8h").text
        #expect(text[1].hasPrefix("Nobody can be asked here"))
        #expect(text[2] == "  git credential-gitspace share ssh dev --username octocat --for 8h --confirm never")
        let reading = try verb.run("share", "box", "--read-only", "--confirm", "each").text
        #expect(reading[1] == "You are not asked when it is used.")
    }

    @Test("share list prints each share, even one that waits for systemd, and with --json as an object")
    func json() throws {
        _ = try share("--repository", "acme/app", "--branch", "agent/*", "--for", "8h")
        targets.found = [
            FoundShare(name: ShareName(forDestination: "x"), record: targets.saved, isRunning: true),
            FoundShare(name: ShareName(forDestination: "y"), record: targets.saved, isRunning: false),
        ]
        let objects = try verb.objects("share", "list", "--json")
        #expect(objects.map { $0["name"] } == ["ssh-x", "ssh-y"])
        #expect(objects[0].isTrue("running") == true && objects[1].isTrue("running") == false)
        #expect(verb.printed.contains(#""refusals": 0, "#))
        #expect(objects[0].isTrue("token") == false && objects[0]["confirm"] == "never" && objects[1]["confirm"] == nil)
        let limits = #""repositories": ["https://github.com/acme/app"], "branches": ["agent/*"], "read_only": false"#
        #expect(verb.printed.contains(limits))
        #expect(try verb.run("share", "list").text.last == "ssh-y: systemd starts it when it is used")
    }

    @Test("logs a refused user with its number, once a minute, and share list tells how many there were")
    func refusals() throws {
        // The last one is not told again in the log.
        let cases: [([UInt32], [String])] = [([], []), ([100_000, 100_001, 100_000], ["  Refusals: 3."])]
        for ((strangers, words), options) in cases.flatMap({ [($0, []), ($0, ["--token"])] }) {
            targets.strangers = strangers
            targets.saved = nil
            let log = try verb.run(["share", "box"] + options).text
            let refused = log.filter { $0.hasPrefix("refused user 100000: only your own user and root may use ") }
            #expect(refused.count == words.count)
            targets.found = [FoundShare(name: ShareName(forDestination: "x"), record: targets.saved, isRunning: true)]
            #expect(try verb.run("share", "list").text.filter { $0.hasPrefix("  Refusals: ") } == words)
        }
    }

    @Test("refuses options that contradict each other")
    func forms() {
        for word in ["stop", "ssh"] { #expect(throws: (any Error).self) { try verb.run("share", word) } }
        for word in ["--refresh", "box"] { #expect(throws: (any Error).self) { try verb.run("share", "list", word) } }
        #expect(throws: (any Error).self) { try verb.run("share", "box", "--token", "--name", "x") }
    }
}
