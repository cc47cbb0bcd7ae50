import CredentialCore
import Foundation
import System
import Testing

@Suite("Notes about refused sign-ins")
struct SignInNotesFilesTests {
    private let temporary = TestFolder()
    private var folder: String { temporary.path }
    private let name = LockName.signIn(as: nil, on: HostName(name: "github.com"))

    private func notes(of command: String?, on terminal: String? = nil) -> SignInNotesFiles {
        SignInNotesFiles(in: { [folder] in LockDirectory(in: folder) }, command: { command }, terminal: { terminal })
    }

    /// Notes a refusal of a command, or of none, as if it had come so many seconds earlier.
    private func refuse(_ command: String?, ago seconds: Int64) throws {
        notes(of: command).noteRefusal(of: name)
        let file = folder + "/git-credential-gitspace/" + name.text + ".refused"
        let words = try String(contentsOfFile: file, encoding: .utf8).split(separator: " ")
        let time = try #require(words.last.flatMap { Int64($0.dropLast()) })
        try "\(words[0]) \(time - seconds)\n".write(toFile: file, atomically: false, encoding: .utf8)
    }

    @Test("keeps a refusal for the same command of git as long as it runs")
    func command() throws {
        try refuse("1-100", ago: 3_600)
        #expect(notes(of: "1-100").refusal(of: name) == .inThisCommand)
        #expect(notes(of: "1-101").refusal(of: name) == nil && notes(of: nil).refusal(of: name) == nil)
    }

    @Test("keeps a refusal outside of git for a minute", arguments: [(0, true), (50, true), (60, false)])
    func silence(seconds: Int64, counts: Bool) throws {
        try refuse(nil, ago: seconds)
        #expect(notes(of: nil).refusal(of: name) == (counts ? .shortlyBefore : nil))
        #expect(notes(of: "1-100").refusal(of: name) == nil)
    }

    @Test("ignores a refusal with a date in the future, after the clock was set back", arguments: ["1-100", nil])
    func future(command: String?) throws {
        try refuse(command, ago: -3_600)
        #expect(notes(of: command).refusal(of: name) == nil)
    }

    @Test("tells waiting processes where the sign-in is")
    func place() {
        notes(of: "1-100", on: "34816").noteStart(of: name)
        #expect(notes(of: "1-100", on: "34816").place(of: name) == .thisCommand)
        #expect(notes(of: "1-101", on: "34816").place(of: name) == .thisTerminal)
        #expect(notes(of: nil, on: "34817").place(of: name) == .anotherTerminal)
        notes(of: "1-100").noteStart(of: name)
        #expect(notes(of: nil, on: "34816").place(of: name) == .elsewhere)
        notes(of: "1-100").noteEnd(of: name)
        #expect(notes(of: "1-100").place(of: name) == nil)
    }

    @Test("shows a code to every waiting process until the sign-in ends")
    func code() {
        let code = NotedCode(userCode: "WDJB-MJHT", page: "https://github.com/login/device", end: 600_000)
        #expect(notes(of: nil).code(of: name) == nil)
        notes(of: "1-100").noteCode(code, of: name)
        #expect(notes(of: "1-101").code(of: name) == code)
        notes(of: "1-100").noteEnd(of: name)
        #expect(notes(of: "1-101").code(of: name) == nil)
        notes(of: "1-100").noteCode(code, of: name)
        notes(of: "1-101").noteStart(of: name)
        #expect(notes(of: "1-102").code(of: name) == nil)
    }

    @Test("passes a waiting process's refusal to the asking one, once, if there is one")
    func cancellation() throws {
        notes(of: "1-101").cancel(name)
        var asking = notes(of: "1-100").cancellation(of: name)
        #expect(asking?.isRequested == false)
        notes(of: "1-101").cancel(name)
        var watched = pollfd(fd: try #require(asking?.descriptor), events: Int16(POLLIN), revents: 0)
        #expect(poll(&watched, 1, 0) == 1)
        #expect(asking?.isRequested == true && asking?.isRequested == false)
        asking = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/git-credential-gitspace").isEmpty)
    }
}
