import Staging
import Testing

/// Requests that do not come from the browser, or that another server sent it with.
extension BrowserTests {
    /// Reads the redirect address (`to`), its port and the state from the address in `$1`.
    private static let end = """
        decoded=$(printf %b "$(printf %s "$1" | sed 's/%/\\\\x/g')")
        to=${decoded#*redirect_uri=}; to=${to%%&*}; port=${to#http://*:}; port=${port%%/*}
        state=${decoded#*&state=}; state=${state%%&*}
        """

    @Test(
        "serves only the browser, whatever other clients request first",
        arguments: [
            // Another process on this machine: without a state, and with one of its own, twice.
            #"for it in error=access_denied code=mine "code=mine&state="{guessed,guessed}; do curl -s "$to?$it"; done"#,
            // One with the right state, by another method; and a page that reaches this address by its own host name.
            #"for by in "-X POST" "-H Host:rebound.example"; do curl -s $by "$to?code=mine&state=$state"; done"#,
            // The page of another server, which has registered another path.
            #"curl -s "${to%/*}/?code=mine&state=$state" "${to%/*}/gitlab.com?code=mine&state=$state""#,
            // Headers without an end, and idle connections.
            #"(printf "X: "; head -c 100000 /dev/zero | tr "\0" x) | curl -s -m 5 -H @- "$to?code=mine&state=$state""#,
            #"for i in 1 2 3 4 5 6 7 8; do (exec 3<>/dev/tcp/127.0.0.1/$port; read -t 60 x <&3) & done"#,
        ])
    func strangers(attack: String) async throws {
        let fixture = try await fixture(
            browser: """
                \(Self.end)
                { \(attack); } >"$HOME/answers" 2>&1
                show "$1"
                """)
        _ = try await signInUndisturbed(fixture)
    }

    /// Signs in and checks that only the browser gets an answer.
    private func signInUndisturbed(_ fixture: EndToEndFixture) async throws -> PseudoTerminal {
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let (running, terminal) = try await begin(fixture)
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(try await file("answers", in: fixture).isEmpty)
        #expect(fixture.server.requests(to: .exchange).allSatisfy { $0.form["code"] != "mine" })
        #expect(try await file("page", in: fixture).contains("as monalisa"))
        return terminal
    }

    @Test("refuses a stolen code with the right state, because its verifier differs")
    func injectedCode() async throws {
        let fixture = try await fixture()
        fixture.server.nextSignIn(.approve(as: "mallory"), .approve(as: "monalisa"))
        // Mallory's own sign-in, up to its code.
        let theirs =
            "https://\(fixture.host)/oauth/authorize?response_type=code&client_id=\(fixture.app.clientID)"
            + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F\(fixture.host)&state=x&code_challenge=y&code_challenge_method=S256"
        let answer = try await fixture.start(
            ["curl", "--disable", "--silent", "--output", "/dev/null", "--write-out", "%{redirect_url}", theirs],
            environment: fixture.server.environment
        ).ended().output
        let query = try #require(answer.split(separator: "code=").last)
        let code = try #require(query.split(separator: "&").first)
        try await fixture.session.write(
            program: fixture.session.home + "/bin/browser",
            """
            #!/bin/bash
            \(Self.end)
            curl --silent --output "$HOME/page" "$to?code=\(code)&state=$state"
            """)
        let (running, terminal) = try await begin(fixture)
        #expect(try await running.ended().status != 0, "\(terminal.text)")
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.server.tokens.isEmpty, "\(fixture.server.tokens)")
    }

    private static let anotherUser = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups"]

    @Test(
        "ignores another user who has read the address in /proc",
        .enabled(if: geteuid() == 0, "needs root"), arguments: ["error=access_denied", "code=mine"])
    func anotherUser(answer: String) async throws {
        let fixture = try await fixture(
            browser: """
                \(Self.end)
                \(Self.anotherUser.joined(separator: " ")) curl --silent "$to?\(answer)&state=$state" >"$HOME/answers"
                show "$1"
                """)
        #expect(try await signInUndisturbed(fixture).count(of: "Refused a connection from another user") == 1)
    }

    /// Connects as fast as possible until it is killed, keeps some connections open, and prints when it has begun.
    private static let flood = """
        import os, socket, sys
        for _ in range(3): os.fork()
        held, count, parent = [], 0, os.getppid()
        while os.getppid() == parent:
            each = socket.socket()
            each.setblocking(False)
            try: each.connect(("127.0.0.1", int(sys.argv[1])))
            except OSError: pass
            held, count = held[-99:] + [each], count + 1
            if count == 300: print("flood", flush=True)
        """

    @Test("reads the browser's request in a flood of connections", arguments: [true, false])
    func flood(isAnotherUsers: Bool) async throws {
        guard geteuid() == 0 || !isAnotherUsers else {
            return Skipped.note("a flood by another user", because: "only root can become another user")
        }
        let runner = isAnotherUsers ? Self.anotherUser : []
        let fixture = try await fixture(
            browser: """
                \(Self.end)
                exec 3< <(exec \(runner.joined(separator: " ")) setpriv --pdeathsig KILL python3 -c '\(Self.flood)' "$port")
                read -r <&3
                # The kernel drops who comes while the queue is full; then a person loads the page again.
                until show "$1" --connect-timeout 5; do :; done
                kill -KILL $!
                """)
        fixture.server.everySignIn(.approve(as: "monalisa"))
        let (running, terminal) = try await begin(fixture)
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(try await file("page", in: fixture).contains("as monalisa"))
    }

    @Test("shows the working address after a redirect that was turned into https, and git goes on")
    func https() async throws {
        let fixture = try await fixture(
            browser: """
                back=$(show "$1" --max-redirs 0 --write-out '%{redirect_url}')
                for _ in 1 2 3; do curl --silent --insecure --max-time 60 "https${back#http}"; done
                echo $? >"$HOME/status"
                until [[ -e $HOME/corrected ]]; do sleep 0.1; done
                show "$back"
                """)
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let (running, terminal) = try await begin(fixture)
        let status = try await file("status", in: fixture)
        try await terminal.shows("Your browser came back with https")
        #expect(status != "0\n")
        let digits = terminal.screen.split(separator: "127.0.0.1%3A").last?.prefix { $0.isNumber } ?? ""
        try "".write(to: fixture.session.home + "/corrected")
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        let told = "change the beginning of the address to http://127.0.0.1:\(digits) and press Enter."
        #expect(terminal.count(of: told) == 1, "\(terminal.text)")
        #expect(terminal.text.contains("Signed in as monalisa"))
    }

    /// The redirect address that X sends to Y, the one that is registered at Y, and Y's status.
    @Test(
        "gets no code of server Y if server X sends the browser on to it (RFC 9700, 4.4)",
        arguments: [
            // X's own address, which Y does not know; Y's; that of a built-in host.
            (nil, "Y", "400"), ("Y", "Y", "404"), ("", "", "404"),
        ] as [(String?, String, String)])
    func sentOn(told: String?, registered: String, status: String) async throws {
        let fixture = try await fixture(browser: #"show "$1" --noproxy '*' --insecure"#)
        let other = try StandIn(.gitLab)
        let name = "localhost:\(other.port)"
        var app = Service.gitLab.app()
        app.clientID = "at Y"
        app.redirectURI = "http://127.0.0.1/" + registered.replacing("Y", with: name)
        other.register(app)
        other.everySignIn(.approve(as: "monalisa"))
        let (running, terminal) = try await begin(fixture, pressing: "")
        let lines = terminal.screen.split(separator: "\n").map { $0.drop { $0 == " " } }
        var address = String(try #require(lines.first { $0.hasPrefix("https://") }))
        address = address.replacing("https://\(fixture.host)/", with: "https://\(name)/")
            .replacing("client_id=\(fixture.app.clientID)", with: "client_id=at%20Y")
        if let told {
            let own = fixture.host.replacing(":", with: "%3A")
            address = address.replacing(
                "%2F\(own)&", with: "%2F\(told.replacing("Y", with: name.replacing(":", with: "%3A")))&")
        }
        fixture.server.answer(.authorization, with: .redirect(to: address), times: nil)
        terminal.type("\n")
        let headers = try await eventually("the browser's end") {
            let text = try? String(contentsOfFile: fixture.session.home + "/headers", encoding: .utf8)
            let last = text?.components(separatedBy: "\r\n\r\n").dropLast().last
            return last.flatMap { $0.contains(" \(status) ") ? $0 : nil }
        }
        #expect(headers.hasPrefix("HTTP/1.1 \(status) "))
        #expect(other.count(of: .authorization) == 1 && fixture.server.count(of: .exchange) == 0)
        terminal.type("q")
        #expect(try await running.ended().status != 0)
        #expect(fixture.server.count(of: .exchange) == 0 && other.tokens.isEmpty)
        await other.stop()
    }
}
