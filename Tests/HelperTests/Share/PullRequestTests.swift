import TestSupport
import Testing

@testable import Providers
@testable import Share

/// The process that shares opens pull requests once the host has accepted the push.
@Suite("share: pull requests")
struct PullRequestTests {
    private let fixture: ShareFixture
    private var transport: ScriptedTransport { fixture.doubles.transport }
    init() { fixture = Self.fixture() }
    private static let notOpened = "gitspace: pushed, but no pull request was opened: "

    private static func fixture(
        _ confirmation: SharePlan.Confirmation = .never, on host: String = "github.com", until end: Int64? = nil
    ) -> ShareFixture {
        let policy = GatewayPolicy(
            .hosts([HostName(name: host)]), branches: ["agent/*"].compactMap(BranchPattern.init),
            opensPullRequests: true)
        let fixture = ShareFixture(host, confirmation: confirmation, gateway: policy, until: end)
        fixture.helper.stored(expiresIn: 28_800, host: host, lifetime: 28_800)
        return fixture
    }

    private func push(_ options: String..., to branches: [String] = ["agent/x"], on host: String = "github.com") throws
        -> GatewayIntention
    {
        let asked = options.isEmpty ? nil : try PullRequestOptions(options.map { Array($0.utf8)[...] })
        return try .transfer(branches, on: host, pullRequest: asked)
    }

    /// The line for whoever pushes; nil if the push got no token.
    private func remark(
        _ push: GatewayIntention, in fixture: ShareFixture? = nil, afterPush: () -> Void = {},
        outcome: GatewayOutcome = .reported(PushResult([.accepted]))
    ) -> String? {
        let fixture = fixture ?? self.fixture
        let connection = fixture.connection()
        guard fixture.ask(push, by: connection) != nil else { return nil }
        afterPush()
        let answer =
            connection.answer(.ended(outcome)) ?? connection.finish(arrivedAt: fixture.doubles.clock.uptimeMilliseconds)
        return GatewayAcknowledgement.remarks(in: answer).map { String(decoding: $0, as: UTF8.self) }
    }

    private func open(number: Int = 7) { transport.answer(.json("[]"), .json("{\"number\":\(number)}", status: 201)) }

    @Test("opens a pull request with the person's token, logs it, and tells the place")
    func opened() throws {
        open()
        let push = try push("mr.create", "mr.title=Fix \"it\"\u{202e}", "mr.target=main")
        #expect(remark(push) == "gitspace: opened https://github.com/acme/app/pull/7\n")
        #expect(transport.requests.map(\.authorization) == ["Bearer ghu_old", "Bearer ghu_old"])
        let last = try #require(fixture.events.last)
        let page = HTTPSAddress(host: "github.com", path: "/acme/app/pull/7")
        #expect(last == .pullRequest(push, .opened(PullRequest(number: 7, base: "main", page: page))))
        let line = #"ssh-box: opened pull request 7 "Fix 'it'\xe2\x80\xae" (agent/x into main): "#
        #expect(fixture.lines(of: last) == [line + "https://github.com/acme/app/pull/7"])
        var record = ShareRecord()
        record.note(last, now: 5)
        #expect(record.opened == [.init(time: 5, number: 7, page: "https://github.com/acme/app/pull/7")])
        #expect(ShareRecord(parsing: record.text) == record)
    }

    @Test("tells the address of a pull request that is open already")
    func found() throws {
        let repo = "\"ref\":\"agent/x\",\"repo\":{\"full_name\":\"acme/app\"}"
        transport.answer(.json("[{\"number\":3,\"head\":{\(repo)},\"base\":{\"ref\":\"main\"}}]"))
        let line = remark(try push("mr.create", "mr.target=main"))
        #expect(line == "gitspace: already open: https://github.com/acme/app/pull/3\n")
    }

    @Test("opens ten pull requests in an hour and no more")
    func limit() throws {
        for number in 1...10 {
            open(number: number)
            let line = remark(try push("mr.create", "mr.target=main"))
            #expect(line == "gitspace: opened https://github.com/acme/app/pull/\(number)\n")
        }
        let last = try #require(remark(try push("mr.create", "mr.target=main")))
        #expect(last.contains("10 pull requests were opened within an hour; the next one can be opened at "))
        fixture.doubles.clock.advance(milliseconds: 3_600_000)
        open(number: 11)
        #expect(remark(try push("mr.create", "mr.target=main"))?.contains("/pull/11") == true)
    }

    @Test("opens nothing for a push that was rejected, or whose end is unknown")
    func rejected() throws {
        let outcomes: [GatewayOutcome] = [
            .reported(PushResult([.rejected])), .reported(PushResult([.unknown])), .unreported, .hostGone,
            .clientGone(hasBegun: true), .failed(.pushForbidden), .answered,
        ]
        for outcome in outcomes { #expect(remark(try push("mr.create"), outcome: outcome) == "") }
        #expect(transport.requests.isEmpty)
    }

    @Test("gives no token for a made-up pull request: for two refs, a deletion, or another branch")
    func madeUp() throws {
        #expect(remark(try push("mr.create", to: ["agent/x", "agent/x"])) == nil)
        #expect(remark(try push("mr.create", to: ["agent/gone"])) == nil)
        #expect(remark(try push("mr.create", to: ["main"])) == nil)
        #expect(fixture.ask(try push("mr.create", on: "other.example")) == nil)
        let bare = ShareFixture(
            confirmation: .never,
            gateway: GatewayPolicy(
                .hosts([HostName(name: "github.com")]), branches: ["agent/*"].compactMap(BranchPattern.init)))
        bare.helper.stored(expiresIn: 28_800, lifetime: 28_800)
        #expect(bare.ask(try push()) != nil)
        #expect(bare.ask(try push("mr.create")) == nil)
        // Nor does a report without a push before it.
        #expect(fixture.connection().answer(.ended(.reported(PushResult([.accepted])))) != nil)
        #expect(transport.requests.isEmpty)
    }

    @Test("asks one question for a push and its pull request, with title and target")
    func question() throws {
        let fixture = Self.fixture(.each)
        fixture.screen.answer = .denied
        #expect(remark(try push("mr.create", "mr.title=a\" into b", "mr.target=main"), in: fixture) == nil)
        fixture.doubles.clock.advance(milliseconds: 700_000)
        #expect(remark(try push("mr.create"), in: fixture) == nil)
        let words = "Let \"ssh-box\" push agent/x to acme/app on github.com, and open the pull request "
        let questions = [#""a' into b" into main?"#, #""agent/x" into the default branch?"#].map { words + $0 }
        #expect(fixture.screen.questions.map(\.question.english) == questions)
    }

    @Test("asks the host nothing after a logout or the end of the time")
    func over() throws {
        let signedOut = remark(try push("mr.create"), afterPush: fixture.signOut)
        #expect(signedOut == Self.notOpened + "no account is signed in\n")
        let limited = Self.fixture(until: RecordingClock().uptimeMilliseconds + 60_000)
        let late = remark(
            try push("mr.create"), in: limited, afterPush: { limited.doubles.clock.advance(milliseconds: 60_000) })
        #expect(late == Self.notOpened + "the time of the share is over\n")
        #expect(transport.requests.isEmpty && limited.requests.isEmpty)
    }

    @Test("logs that nothing was opened if the share ends after the push")
    func stopped() throws {
        let push = try push("mr.create")
        let connection = fixture.connection()
        _ = fixture.ask(push, by: connection)
        #expect(connection.answer(.ended(.reported(PushResult([.accepted])))) == nil)
        connection.end()
        let line = "ssh-box: no pull request was opened from agent/x on acme/app: it ended before the server was asked"
        #expect(fixture.events.last.map(fixture.lines) == [line])
        #expect(transport.requests.isEmpty)
    }

    @Test("names a host on which it cannot open pull requests")
    func unknownHost() throws {
        let text = remark(try push("mr.create", on: "bitbucket.org"), in: Self.fixture(on: "bitbucket.org"))
        #expect(text == Self.notOpened + "gitspace cannot open pull requests on bitbucket.org\n")
    }

    @Test("names the missing permission of an app, and the page where it is given")
    func permission() throws {
        transport.answer(.json("{\"message\":\"Resource not accessible by integration\"}", status: 403))
        let text = remark(try push("mr.create", "mr.target=main"))
        let missing = "the token may push, but lacks \"Pull requests: write\" for pull requests\n"
        #expect(text == Self.notOpened + missing)
        let lines = try #require(fixture.events.last.map(fixture.lines))
        let hints = [
            "  give the app that permission, then accept it here:", "    https://github.com/settings/installations",
        ]
        #expect(lines.suffix(2) == hints[...])
    }

    @Test("limits the time of the host's API, counted from the end of the push")
    func deadlines() throws {
        let now = fixture.doubles.clock.uptimeMilliseconds
        transport.answer(.json("[]"))
        transport.fail(.timedOut)
        transport.fail(.timedOut)
        #expect(try remark(push("mr.create", "mr.target=main"))?.hasPrefix(Self.notOpened) == true)
        #expect(transport.requests.map(\.deadline) == [now + 15_000, now + 15_000, now + 20_000])
    }

    @Test("tells a push without options how to ask, if no pull request is open from that branch")
    func hint() throws {
        let words = "gitspace: no pull request yet; a push with -o merge_request.create"
        transport.answer(.json("[]"))
        #expect(remark(try push())?.hasPrefix(words) == true)
        transport.answer(
            .json("[{\"number\":3,\"head\":{\"ref\":\"agent/x\",\"repo\":{\"full_name\":\"acme/app\"}},\"base\":{}}]"))
        #expect(remark(try push()) == "")
        transport.fail(.timedOut)
        #expect(remark(try push()) == "")
        #expect(remark(try push(to: ["agent/gone"])) == "")
        #expect(remark(try push(to: ["agent/x", "agent/x"])) == "")
        #expect(transport.requests.map(\.method) == ["GET", "GET", "GET"])
        let now = fixture.doubles.clock.uptimeMilliseconds
        #expect(transport.requests.allSatisfy { $0.deadline == now + 5_000 })
    }
}
