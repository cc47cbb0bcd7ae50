import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("How reports read for programs")
struct ReportTextTests {
    private let helper = HelperFixture()

    @Test("accounts are an array, an object a line, and so is none of them")
    func accounts() throws {
        let status = Status(nil, isOffline: true, with: .forTests(helper.doubles))
        let nobody = try #require(helper.doubles.run(status).reports.first)
        #expect(Status.Report.document(nobody.json) == "[]\n")
        helper.stored(expiresIn: nil)
        helper.stored(expiresIn: nil, user: "hubot")
        let both = try #require(helper.doubles.run(status).reports.first)
        let lines = Status.Report.document(both.json).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "[" && lines.suffix(2) == ["]", ""] && lines.count == 5)
        #expect(lines[1].hasPrefix("  {\"host\": \"github.com\"") && lines[1].hasSuffix("},"))
    }

    @Test("a finding is one object, whose text is English without a mark")
    func finding() throws {
        let address = try #require(RepositoryAddress("https://git.example/a/b"))
        helper.doubles.transport.answer(.page(status: 404))
        let found = try #require(helper.doubles.run(Check(address, with: .forTests(helper.doubles))).reports.first)
        let document = Finding.document(found.json)
        #expect(document.hasPrefix("{\"host\": \"git.example\"") && document.hasSuffix("]}\n"))
        #expect(document.contains(#""text": "gitspace does not know how to sign in to git.example""#))
        #expect(found.lines.isEmpty && found.failure == found.words)
    }

    @Test("a check that was interrupted tells nothing, for half of one has found nothing")
    func interrupted() throws {
        helper.doubles.ui.endOfWait = (1, .cancelled)
        let address = try #require(RepositoryAddress("https://git.example/a/b"))
        helper.doubles.transport.answer(.page(status: 404))
        let (status, reports) = helper.doubles.run(Check(address, with: .forTests(helper.doubles)))
        #expect(status == .cancelled && reports.isEmpty)
    }
}
