import CredentialCore
import Foundation
import System
import TestSupport
import Testing

@Suite("The file of rejected tokens")
final class RefusedTokensFileTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/refused-\(UUID().uuidString)"
    private let account = LockName.account(Array("octocat".utf8), on: HostName(name: "github.com"))
    private let other = LockName.account(Array("hubot".utf8), on: HostName(name: "github.com"))
    private var file: String { folder + "/git-credential-gitspace/refused" }

    private var tokens: RefusedTokensFile {
        let directory = { [folder] in LockDirectory(in: folder) }
        return RefusedTokensFile(besideLocksOf: FileLocks(in: directory), existing: directory)
    }

    init() { #expect(mkdir(folder, 0o700) == 0) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func text() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    @Test(
        "a rejection counts for a day, whichever way the clock was set",
        arguments: [(3_600, true), (86_000, true), (-3_600, true), (86_400, false), (-90_000, false)])
    func age(seconds: Int64, counts: Bool) throws {
        tokens.remember(Secret("gho_old"), for: account)
        let now = try #require(tokens.refusal(of: Secret("gho_old"), for: account))
        let aged = text().replacing(" \(now)\n", with: " \(now - seconds)\n")
        try aged.write(toFile: file, atomically: false, encoding: .utf8)
        #expect(tokens.refusal(of: Secret("gho_old"), for: account) == (counts ? now - seconds : nil))
    }

    @Test("it ends when another token is stored for the account, and for no other account")
    func another() {
        tokens.remember(Secret("gho_old"), for: account)
        tokens.remember(Secret("gho_old"), for: other)
        #expect(tokens.refusal(of: Secret("gho_new"), for: account) == nil)
        #expect(tokens.refusal(of: Secret("gho_old"), for: account) == nil)
        #expect(tokens.refusal(of: Secret("gho_old"), for: other) != nil)
    }

    @Test("the last two of an account are kept, and no token is in it")
    func most() {
        for token in ["gho_1", "gho_2", "gho_3"] { tokens.remember(Secret(token), for: account) }
        #expect(tokens.refusal(of: Secret("gho_2"), for: account) != nil)
        #expect(tokens.refusal(of: Secret("gho_3"), for: account) != nil)
        #expect(text().split(separator: "\n").count == 2 && !text().contains("gho_"))
    }
}
