import Staging
import Testing

/// A place opens pull requests by git alone: real git, real smart HTTP, and the three APIs as they are documented.
@Suite("share: pull requests through a gateway")
struct PullRequestTests {
    private static let create = "-o merge_request.create"

    /// A share with limited branches that may open pull requests, and a clone behind it.
    private static func gateway(
        _ service: Service = .gitHub, git: Git = .system, scopes: [String]? = nil, _ options: String...
    ) async throws -> (fixture: EndToEndFixture, gateway: GatewayBox, token: IssuedToken) {
        let fixture = try await EndToEndFixture(service, git: git)
        let all = scopes ?? (service == .gitLab ? service.scopes + ["api"] : nil)
        let token = try await fixture.signedIn("monalisa", scopes: all)
        let terms = options.isEmpty ? ["--branch", "agent/*", "--pull-requests"] : options
        let program = try fixture.start(
            [BuiltFiles.helper, "share", "agent", "--repository", fixture.address()] + terms)
        let gateway = try GatewayBox(try await SharedBox(program, name: "agent", in: fixture), fixture)
        try await gateway.clone()
        return (fixture, gateway, token)
    }

    private static func remotes(_ end: RunningProgram.End) -> [String] {
        end.errors.split(separator: "\n").filter { $0.hasPrefix("remote: gitspace: ") }.map {
            $0.dropFirst("remote: gitspace: ".count).trimmingCharacters(in: .whitespaces)
        }
    }

    /// The bodies of the requests that would have opened one, each of which has got an answer.
    private static func bodies(_ fixture: EndToEndFixture) -> [String] {
        fixture.server.requests(to: .pullRequests).filter { $0.method == "POST" }.map(\.bodyText)
    }

    @Test("pushes a branch and opens its pull request, and keeps the options from the host", arguments: Git.all)
    func session(git: Git) async throws {
        let (fixture, gateway, token) = try await Self.gateway(git: git)
        let first = try await gateway.push(to: "agent/fix-login").succeeded()
        #expect(
            Self.remotes(first) == [
                "no pull request yet; a push with -o merge_request.create -o merge_request.title='...' opens one"
            ])
        let second = try await gateway.push(
            to: "agent/fix-login", "\(Self.create) -o merge_request.title='Fix the login'")
        let page = "https://\(fixture.host)/acme/private/pull/7"
        #expect(second.status == 0 && Self.remotes(second) == ["opened \(page)"], "\(second.errors)")
        #expect(
            Self.bodies(fixture) == [
                #"{"base":"main","body":"","draft":false,"head":"agent/fix-login","title":"Fix the login"}"#
            ])
        let third = try await gateway.push(to: "agent/fix-login")
        #expect(third.status == 0 && Self.remotes(third).isEmpty, "\(third.errors)")
        for request in fixture.github.requests(to: .gitPush) {
            let body = String(decoding: request.body.prefix(4_096), as: UTF8.self)
            #expect(!body.contains("push-options") && !body.contains("merge_request"))
        }
        // How a place reads the state of its pull request.
        let state = try await gateway.run("git ls-remote origin 'refs/pull/7/*'", in: gateway.work)
        #expect(state.output.hasSuffix("\trefs/pull/7/head\n"), "\(state.output)\(state.errors)")
        let list = try await fixture.gitspace("share", "list").output
        #expect(list.contains(": opened pull request 7: \(page)\n"), "\(list)")
        let end = try await gateway.box.interrupt()
        #expect(
            end.output.contains("read; push to agent/* only; open pull requests from them. No token is given away."))
        #expect(
            end.output.contains("agent: opened pull request 7 \"Fix the login\" (agent/fix-login into main): \(page)\n")
        )
        #expect(!(end.output + end.errors + second.errors).contains(token.accessToken))
    }

    @Test(
        "opens one at each kind of host, with quotes and empty lines as they were given",
        arguments: [(Service.gitHub, "pull/7"), (.gitea, "pulls/7"), (.gitLab, "-/merge_requests/7")])
    func hosts(service: Service, page: String) async throws {
        let (fixture, gateway, _) = try await Self.gateway(service)
        let end = try await gateway.push(
            to: "agent/x",
            #"""
            -o mr.create -o 'pull_request.title={"head":"mallory:x"}' -o mr.target=main \
            -o 'mr.description=One = 1' -o mr.description= -o "mr.description=' \"x\" 한"
            """#)
        #expect(
            Self.remotes(end) == ["opened https://\(fixture.host)/acme/private/\(page)"], "\(end.errors)\(gateway.log)")
        #expect(fixture.server.pullRequests().map(\.body) == ["One = 1\n\n' \"x\" 한"])
        #expect(fixture.server.pullRequests().map(\.title) == [#"{"head":"mallory:x"}"#])
    }

    @Test("refuses another option or branch in git's own words, before anything reaches the host, and takes --atomic")
    func refused() async throws {
        let (fixture, gateway, _) = try await Self.gateway()
        let option = try await gateway.push(to: "agent/x", "\(Self.create) -o ci.skip")
        let words = "no push option ci.skip; only merge_request.create, .target, .title, .description and .draft"
        #expect(option.status == 1)
        #expect(option.errors.contains("! [remote rejected] HEAD -> agent/x (gitspace: \(words)"))
        for refs in ["HEAD:agent/x HEAD:agent/y", "--atomic HEAD:agent/x HEAD:agent/y"] {
            let several = try await gateway.run("git push \(Self.create) origin \(refs)", in: gateway.work)
            #expect(several.errors.contains("(gitspace: a pull request is for one branch; push it alone)"))
        }
        #expect(fixture.github.count(of: .gitPush) == 0)
        let atomic = try await gateway.push(to: "agent/x", "--atomic \(Self.create)")
        #expect(atomic.status == 0 && Self.remotes(atomic).first?.hasPrefix("opened ") == true, "\(atomic.errors)")
        #expect(Self.bodies(fixture).count == 1)
    }

    @Test("names --pull-requests if the share lacks it, and demands limited branches for it")
    func off() async throws {
        let (fixture, gateway, _) = try await Self.gateway(.gitHub, "--branch", "agent/*")
        let end = try await gateway.push(to: "agent/x", Self.create)
        #expect(end.status == 1)
        #expect(Self.remotes(end).first?.hasPrefix("no push options without share --pull-requests") == true)
        #expect(fixture.github.count(of: .gitPush) == 0)
        let plain = try await gateway.push(to: "agent/x")
        #expect(plain.status == 0 && Self.remotes(plain).isEmpty && fixture.github.count(of: .pullRequests) == 0)
        try await gateway.logs("agent: refused a push to agent/x on acme/private: push options need --pull-requests")
        _ = try await fixture.git("config", "--global", "gitspace-share.other.pullRequests", "true")
        let configured = try await fixture.gitspace("share", "other", "--host", fixture.host)
        #expect(configured.status == 1)
        #expect(configured.errors.contains("pull requests can be opened only where branches are limited"))
    }

    @Test("opens one pull request for two pushes at the same time")
    func race() async throws {
        let (fixture, gateway, _) = try await Self.gateway()
        _ = try await gateway.run("cp -r work other")
        let script = "git commit --quiet --allow-empty -m change && git push --force \(Self.create) origin HEAD:agent/x"
        let both = try ["/work", "/other"].map { try gateway.start(script, in: gateway.home + $0) }
        var lines: [String] = []
        for program in both { lines += Self.remotes(try await program.ended()) }
        #expect(fixture.github.pullRequests().count == 1 && Self.bodies(fixture).count == 1)
        #expect(lines.filter { $0.hasPrefix("opened ") }.count == 1, "\(lines)")
    }

    @Test("keeps the push if the host opens no pull request, and says why")
    func no() async throws {
        let (fixture, gateway, _) = try await Self.gateway()
        _ = try await gateway.push(to: "agent/y")
        let sso = Header("X-GitHub-SSO", "required; url=https://\(fixture.host)/orgs/acme/sso?authorization_request=A1")
        for (answer, options, words, hint) in [
            (nil, "-o mr.target=nothing", "GitHub says: base is invalid", nil),
            (
                .answer(
                    .json(
                        ["message": "Resource protected by organization SAML enforcement"], status: 403, headers: [sso])
                ), "-o mr.target=main", "the organization acme requires single sign-on",
                "https://\(fixture.host)/orgs/acme/sso?authorization_request=A1"
            ),
        ] as [(ScriptedAnswer?, String, String, String?)] {
            if let answer { fixture.github.answer(.pullRequests, with: answer) }
            let end = try await gateway.push(to: "agent/x", "\(Self.create) \(options)").succeeded()
            let shown = words.replacing("GitHub", with: fixture.host)
            #expect(Self.remotes(end) == ["pushed, but no pull request was opened: \(shown)"])
            try await gateway.logs("agent: no pull request was opened from agent/x on acme/private: \(shown)")
            if let hint { try await gateway.logs(hint) }
        }
        #expect(fixture.github.pullRequests().isEmpty)
    }

    @Test("names the scope that a GitLab token lacks for pull requests")
    func permission() async throws {
        let (fixture, gateway, _) = try await Self.gateway(.gitLab, scopes: Service.gitLab.scopes)
        let end = try await gateway.push(to: "agent/x", "\(Self.create) -o mr.target=main")
        let told = "pushed, but no pull request was opened: the token may push, but lacks \"api\" for pull requests"
        #expect(end.status == 0 && Self.remotes(end) == [told], "\(end.errors)")
        try await gateway.logs("sign in again and grant it:")
        try await gateway.logs("oauthScopes 'read_repository write_repository read_user api'")
        #expect(fixture.server.pullRequests().isEmpty)
    }

    @Test("opens nothing if the share is stopped after the push, and logs that")
    func stopped() async throws {
        let (fixture, gateway, _) = try await Self.gateway()
        fixture.github.answer(.pullRequests, with: .silence)
        let push = try gateway.start(
            "git commit --quiet --allow-empty -m change && git push \(Self.create) origin HEAD:agent/x",
            in: gateway.work)
        try await fixture.github.waitForRequests(1, to: .pullRequests)
        try await fixture.gitspace("share", "stop", "agent").succeeded()
        _ = try await push.ended()
        let output = try await gateway.box.program.ended().output
        #expect(output.contains("agent: no pull request was opened from agent/x on acme/private: "), "\(output)")
    }

    @Test("passes options to a host only from a share without limited branches")
    func hostsOwn() async throws {
        for isLimited in [true, false] {
            let (fixture, gateway, _) = try await Self.gateway(
                .gitHub, isLimited ? "--branch" : "--confirm", isLimited ? "agent/*" : "never",
                isLimited ? "--pull-requests" : "--username", isLimited ? "--confirm=never" : "monalisa")
            _ = try fixture.github.git(["config", "receive.advertisePushOptions", "true"], in: "acme/private")
            let folder = String(
                try fixture.github.git(["rev-parse", "--absolute-git-dir"], in: "acme/private").dropLast())
            let hook = "#!/bin/sh\necho \"options: $GIT_PUSH_OPTION_COUNT $GIT_PUSH_OPTION_0\""
            try await fixture.session.write(program: folder + "/hooks/pre-receive", hook)
            let end = try await gateway.push(to: "agent/x", Self.create).succeeded()
            #expect(end.errors.contains("options: 1 merge_request.create") == !isLimited, "\(end.errors)")
            #expect(Self.bodies(fixture).count == (isLimited ? 1 : 0))
        }
    }
}
