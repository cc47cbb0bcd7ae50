import CredentialCore
import Testing

@testable import Share

@Suite("gateway: push options")
struct PullRequestOptionsTests {
    private static let policy = GatewayPolicy(
        .hosts([HostName(name: "github.com")]), branches: ["agent/*"].compactMap { BranchPattern($0) },
        opensPullRequests: true)

    private static func parse(_ options: [[UInt8]]) -> Result<PullRequestOptions, HTTPRefusal> {
        Result { () throws(HTTPRefusal) in try PullRequestOptions(options.map { $0[...] }) }
    }

    private static func parse(_ options: String...) -> Result<PullRequestOptions, HTTPRefusal> {
        parse(options.map { Array($0.utf8) })
    }

    private func push(_ options: [String], _ commands: [String], capabilities: String = "push-options") throws -> Push {
        let list = options.flatMap { PushBytes.packet($0) } + PushBytes.flush
        return try PushBytes.read(PushBytes.commands(commands, capabilities: capabilities) + list)
    }

    @Test("reads the five fields in each of the three spellings", arguments: ["merge_request", "mr", "pull_request"])
    func fields(prefix: String) throws {
        let options = try Self.parse(
            "\(prefix).description=One = 1", "\(prefix).create", "\(prefix).title=Fix \"it\" {}, 로그인",
            "\(prefix).draft", "\(prefix).target=release/1", "\(prefix).description=", "\(prefix).description=Three"
        ).get()
        #expect(options.title == "Fix \"it\" {}, 로그인" && options.target == "release/1" && options.isDraft)
        #expect(options.description == "One = 1\n\nThree")
        let bare = try Self.parse("\(prefix).create").get()
        #expect(bare.title == nil && bare.target == nil && !bare.isDraft && bare.description.isEmpty)
        for parsed in [options, bare] { #expect(Self.parse(parsed.encoded) == .success(parsed)) }
    }

    @Test(
        "refuses any other option by its name",
        arguments: [
            "merge_request.merge_when_pipeline_succeeds", "merge_request.assign=bob", "merge_request.label=x",
            "merge_request.unlabel=x", "merge_request.milestone=1", "merge_request.remove_source_branch",
            "merge_request.target_project=other/app", "ci.skip", "ci.variable=A=1", "ci.input=x", "repo.private=true",
            "repo.template=false", "integrations.skip_ci", "secret_push_protection.skip_all", "topic=x", "force-push",
            "merge_request", "merge_request.", ".create", "", "=", "create", "Merge_Request.create", "mr.create.x",
            "mr..create", " mr.create", "mr.create ", "mr.CREATE", "maintainer_can_modify=true", "head=mallory:x",
            "mr.head=x", "mr.title", "mr.target", "mr.description", "mr.tit\u{0}le=x",
        ])
    func others(option: String) {
        let name = DisplayText(untrusted: option.utf8.prefix { $0 != UInt8(ascii: "=") })
        let words: DisplayText =
            "no push option \(name); only merge_request.create, .target, .title, .description and .draft"
        #expect(Self.parse("mr.create", option) == .failure(.pushOptions(words)))
    }

    @Test(
        "refuses a value that is malformed, missing, superfluous or too long",
        arguments: [
            "mr.title=a\u{0}b", "mr.title=a\r\nb", "mr.title=a\nb", "mr.title=\u{1b}[2J", "mr.title=\u{9b}2J",
            "mr.title=\u{7f}", "mr.description=a\tb", "mr.description=\u{85}", "mr.title=", "mr.target=",
            "mr.target=a..b", "mr.target=a b", "mr.target=-\u{0}", "mr.target=x.lock", "mr.create=1", "mr.draft=false",
            "mr.title=" + String(repeating: "x", count: 257),
        ])
    func values(option: String) {
        #expect(Self.parse("mr.create", option).failure?.sentence.text.contains(" takes ") == true)
    }

    @Test("refuses what is not UTF-8, and a title or target that is given twice")
    func twice() {
        func isInvalid(_ options: [[UInt8]]) -> Bool {
            Self.parse(options).failure?.sentence.text.contains(" takes ") == true
        }
        #expect(isInvalid([Array("mr.create".utf8), Array("mr.title=".utf8) + [0xff]]))
        #expect(isInvalid(["mr.create", "mr.title=a", "merge_request.title=b"].map { Array($0.utf8) }))
        #expect(isInvalid(["mr.create", "mr.target=a", "mr.target=a"].map { Array($0.utf8) }))
        #expect((try? Self.parse("mr.create", "mr.create", "mr.draft", "mr.draft").get()) != nil)
        let incomplete = HTTPRefusal.pushOptions("push option merge_request.create is missing")
        #expect(Self.parse("mr.title=x") == .failure(incomplete))
        #expect(Self.parse() == .failure(incomplete))
    }

    @Test("takes 256 characters of a title and 64 KiB of a description, and not one more")
    func limits() throws {
        let title = String(repeating: "로", count: 256)
        #expect(try Self.parse("mr.create", "mr.title=\(title)").get().title == title)
        let half = "mr.description=" + String(repeating: "x", count: 32_768)
        #expect(try Self.parse("mr.create", half, String(half.dropLast())).get().description.utf8.count == 65_536)
        #expect(Self.parse("mr.create", half, half) == .failure(Self.tooLong))
        let lines = Array(repeating: Array("mr.description=".utf8), count: 2_000)
        #expect(try Self.parse(lines + [Array("mr.create".utf8)]).get().description.utf8.count == 1_999)
        #expect(Self.parse(lines + [lines[0], Array("mr.create".utf8)]) == .failure(Self.tooLong))
    }

    private static let tooLong = HTTPRefusal.pushOptions(
        "merge_request.description takes at most 65536 bytes in 2000 lines")

    @Test("fits the longest pull request into a message between the processes")
    func message() throws {
        let lines = (0..<2_000).map { _ in "mr.description=" + String(repeating: "x", count: 31) }
        let options = try PullRequestOptions(
            (["mr.create", "mr.draft", "mr.title=" + String(repeating: "😀", count: 256)] + lines).map {
                Array($0.utf8)[...]
            })
        let repository = try #require(RepositoryName(host: HostName(name: "github.com"), path: "acme/app"))
        let ref = "refs/heads/" + String(repeating: "x", count: 4_000)
        let command = try #require(PushCommand(line: Array(PushBytes.create(ref).utf8)[...]))
        let message = GatewayMessage.asks(
            GatewayIntention(repository, .receivePack, .transfer, commands: [command], pullRequest: options))
        #expect(message.encoded.count <= 131_072)
        #expect(GatewayMessage(parsing: message.encoded) == message)
        let text = String(decoding: message.encoded, as: UTF8.self)
        for forged in ["\nmr.label=x", "\nmr.title=second", "\n"] {
            #expect(GatewayMessage(parsing: Array((text + forged).utf8)) == nil)
        }
    }

    @Test("refuses options with several refs or a deletion, and any where branches are limited without --pull-requests")
    func commands() throws {
        let create = ["merge_request.create"]
        func fault(_ commands: [String], _ policy: GatewayPolicy = Self.policy) throws -> HTTPRefusal? {
            policy.refusal(of: try push(create, commands))?.reason
        }
        let one = PushBytes.create("refs/heads/agent/x")
        #expect(try fault([one]) == nil)
        #expect(try fault([PushBytes.update("refs/heads/agent/x")]) == nil)
        #expect(
            try fault([one, PushBytes.create("refs/heads/agent/y")])
                == .pushOptions("a pull request is for one branch; push it alone"))
        let deletion = try fault([PushBytes.delete("refs/heads/agent/x")])
        #expect(deletion == .pushOptions("no pull request for a branch that is deleted"))
        let refusal = try fault([one], GatewayPolicy(.hosts([]), branches: Self.policy.branches))
        #expect(refusal == .noPushOptions && refusal?.rule == .pullRequests && deletion?.rule == .options)
        let told = "no push options without share --pull-requests, where branches are limited; push without -o"
        #expect(refusal?.sentence.text == "gitspace: " + told)
        // Without a limit, options are the host's.
        #expect(try fault([one], GatewayPolicy(.hosts([]), opensPullRequests: true)) == nil)
    }

    @Test("keeps the options and their capability from the host")
    func withheld() throws {
        let commands = [PushBytes.create("refs/heads/agent/x"), PushBytes.update("refs/heads/agent/y")]
        for list in [
            " report-status-v2 side-band-64k push-options object-format=sha1", "push-options=1 report-status",
            "push-options",
        ] {
            let push = try push(["merge_request.create", "", "ci.skip\n"], commands, capabilities: list)
            #expect(push.options.map { Array($0) } == ["merge_request.create", "", "ci.skip"].map { Array($0.utf8) })
            let rest = list.split(separator: " ").filter { !$0.hasPrefix("push-options") }.joined(separator: " ")
            #expect(push.withoutOptions == PushBytes.commands(commands, capabilities: rest))
            let shallow = PushBytes.packet("shallow \(PushBytes.first)\n")
            #expect(try PushBytes.read(shallow + push.bytes).withoutOptions == shallow + push.withoutOptions)
        }
    }

    private static let service = PushBytes.packet("# service=git-receive-pack\n") + PushBytes.flush

    @Test("adds the capability to what a host announces, once, wherever the answer is cut")
    func advertisement() throws {
        func advertised(_ input: [UInt8]) -> [UInt8] {
            Pieces.outcome(of: input) { pieces in
                var advertisement = PushAdvertisement()
                let passed = pieces.flatMap { advertisement.take($0) }
                return passed + advertisement.held
            }
        }
        let rest = PushBytes.packet("\(PushBytes.second) refs/heads/x\n") + PushBytes.flush
        for version in [[], PushBytes.packet("version 1\n")] {
            for (first, end) in [("\(PushBytes.first) HEAD", "\n"), ("\(PushBytes.zero) capabilities^{}", "")] {
                let head = Self.service + version
                let bare = head + PushBytes.packet("\(first)\u{0} report-status\(end)") + rest
                let full = head + PushBytes.packet("\(first)\u{0} report-status push-options\(end)") + rest
                #expect(advertised(bare) == full)
                #expect(advertised(full) == full)
            }
        }
        for other in ["", "0", "zzzz", "0000", "0001", "ERR", "003fERR access denied"] {
            #expect(advertised(Array(other.utf8)) == Array(other.utf8))
            #expect(advertised(Self.service + Array(other.utf8)) == Self.service + Array(other.utf8))
        }
        let long = PushBytes.packet("\(PushBytes.first) x\u{0}" + String(repeating: "a", count: 65_461))
        let isUnchanged = advertised(Self.service + long) == Self.service + long
        #expect(isUnchanged)
    }
}
