import Foundation
import System
import TestSupport
import Testing

@Suite("File of rejected tokens")
struct RefusedTokensFileTests {
    private let temporary = TestFolder()
    private let account = LockName.account(Array("octocat".utf8), on: HostName(name: "github.com"))
    private let other = LockName.account(Array("hubot".utf8), on: HostName(name: "github.com"))
    private var file: String { temporary.path + "/git-credential-gitspace/refused" }

    private var tokens: RefusedTokensFile {
        let directory = { [temporary] in LockDirectory(in: temporary.path) }
        return RefusedTokensFile(besideLocksOf: FileLocks(in: directory), existing: directory)
    }

    private func text() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    @Test(
        "keeps a rejection for a day, even if the clock is changed",
        arguments: [(3_600, true), (86_000, true), (-3_600, true), (86_400, false), (-90_000, false)])
    func age(seconds: Int64, counts: Bool) throws {
        tokens.remember(Secret("gho_old"), for: account)
        let now = try #require(tokens.refusal(of: Secret("gho_old"), for: account))
        let aged = text().replacing(" \(now)\n", with: " \(now - seconds)\n")
        try aged.write(toFile: file, atomically: false, encoding: .utf8)
        #expect(tokens.refusal(of: Secret("gho_old"), for: account) == (counts ? now - seconds : nil))
    }

    @Test("drops a rejection when another token of the account is checked, and keeps other accounts' rejections")
    func another() {
        tokens.remember(Secret("gho_old"), for: account)
        tokens.remember(Secret("gho_old"), for: other)
        #expect(tokens.refusal(of: Secret("gho_new"), for: account) == nil)
        #expect(tokens.refusal(of: Secret("gho_old"), for: account) == nil)
        #expect(tokens.refusal(of: Secret("gho_old"), for: other) != nil)
    }

    @Test("keeps the last two of an account, and no token itself")
    func most() {
        for token in ["gho_1", "gho_2", "gho_3"] { tokens.remember(Secret(token), for: account) }
        for token in ["gho_2", "gho_3"] { #expect(tokens.refusal(of: Secret(token), for: account) != nil) }
        #expect(text().split(separator: "\n").count == 2 && !text().contains("gho_"))
    }
}
