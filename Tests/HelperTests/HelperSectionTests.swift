internal import CredentialCore
import Helper
import Testing
import Verbs

@Suite("Lines that configure adds")
struct HelperSectionTests {
    private static let urls = ["https://github.com", "https://gist.github.com"]

    static let texts = [
        "", "\n", "[user]\n\tname = x\n", "[user]\n\tname = x", "[user]\r\n\tname = x\r\n", "# only a comment",
        "[credential]\n\thelper = store\n", "[credential \"https://github.com\"]\n\tusername = mona ; mine\n",
        "[credential \"https://github.com\"]\n\thelper =\n\thelper = gitspace\n", "\u{feff}[core]\n\teditor = vi\n\n\n",
        "[a]\n\tb = \"c\\\n d\" # e\n   ", "[include]\n\tpath = other\n\\",
    ]

    private func added(to text: String?) -> [UInt8] { add(.short, to: text.map { Array($0.utf8) }) }

    private func add(_ command: HelperCommand, to text: [UInt8]?) -> [UInt8] {
        HelperSection.add(Self.urls.map { HelperSection.lines(for: $0, command) }, to: text)
    }

    @Test("removes the lines of two versions or runs")
    func twice() throws {
        for text in Self.texts {
            let command = try #require(HelperCommand(path: "/o p/git-credential-gitspace"))
            let second = HelperSection.add(
                [HelperSection.lines(for: "https://ghe.example", command)], to: added(to: text))
            #expect(HelperSection.remove(from: second).text == Array(text.utf8))
        }
    }

    @Test("keeps a later setting in a section with the section's head, and finds lines whose ends an editor changed")
    func sharedSection() {
        let text = String(decoding: added(to: "[user]\n"), as: UTF8.self).replacing(
            "= gitspace\n# Added", with: "= gitspace\n\toauthClientId = X\n# Added")
        let left = HelperSection.remove(from: Array(text.utf8))
        #expect(left.text == Array("[user]\n[credential \"https://github.com\"]\n\toauthClientId = X\n".utf8))
        let withEnds = String(decoding: added(to: "[user]\n"), as: UTF8.self).replacing("\n", with: "\r\n")
        #expect(HelperSection.remove(from: Array(withEnds.utf8)).text == Array("[user]\r\n".utf8))
    }

    @Test("keeps the same lines without our mark, and removes only our own line from a section that was changed")
    func changedSection() {
        let text = Array("[credential \"https://github.com\"]\n\thelper =\n\thelper = gitspace\n".utf8)
        let removal = HelperSection.remove(from: text)
        #expect(removal.text == text && removal.lines.isEmpty)
        let mark = "# Added by: git credential-gitspace configure\n"
        let head = "[credential \"https://github.com\"]\n"
        let changed = mark + head + "\thelper =\n\thelper = mine\n\thelper = gitspace\n"
        let left = HelperSection.remove(from: Array(changed.utf8)).text
        #expect(left == Array((head + "\thelper =\n\thelper = mine\n").utf8))
        #expect(HelperSection.remove(from: Array((mark + head + "\thelper = mine\n").utf8)).lines.isEmpty)
    }

    @Test("replaces only the program's old name with the other one", arguments: texts)
    func rename(text: String) throws {
        let path = try #require(HelperCommand(path: "/o p/git-credential-gitspace"))
        let configured = added(to: text)
        let renamed = HelperSection.rename(in: configured, to: path)
        #expect(renamed.text == add(path, to: Array(text.utf8)) && renamed.lines.count == 4)
        let back = HelperSection.rename(in: renamed.text, to: .short)
        #expect(back.text == configured && HelperSection.rename(in: configured, to: .short).lines.isEmpty)
        #expect(HelperSection.urls(in: configured) == Self.urls)
        let withEnds = Array(String(decoding: configured, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
        #expect(
            HelperSection.rename(in: HelperSection.rename(in: withEnds, to: path).text, to: .short).text == withEnds)
    }

    @Test("removes the sections about the token's time with the others, or alone")
    func proactive() {
        let text = Array("[user]\n\tname = x".utf8)
        let configured = add(.short, to: text)
        let both = HelperSection.add(Self.urls.map(HelperSection.proactiveLines), to: configured)
        #expect(HelperSection.remove(from: both).text == text)
        #expect(HelperSection.remove(from: both) { kind, _ in kind == .proactive }.text == configured)
        let shared = both + Array("\tproxy = p\n".utf8)
        let left = text + Array("\n[http \"https://gist.github.com\"]\n\tproxy = p\n".utf8)
        #expect(HelperSection.remove(from: shared).text == left)
    }

    @Test("keeps a file that was created for the lines if it holds anything else, and the added line end before that")
    func nothingIsGluedTogether() {
        let created = added(to: nil) + Array("[user]\n\tname = x\n".utf8)
        #expect(HelperSection.remove(from: created).text == Array("[user]\n\tname = x\n".utf8))
        let text = added(to: "[user]\n\tname = x") + Array("[alias]\n".utf8)
        #expect(HelperSection.remove(from: text).text == Array("[user]\n\tname = x\n[alias]\n".utf8))
    }

    @Test(
        "quotes a path for the shell, and for git's configuration file",
        arguments: [
            ("/usr/bin/git-credential-gitspace", "/usr/bin/git-credential-gitspace", nil),
            ("/a b/git-credential-gitspace", "/a\\ b/git-credential-gitspace", "\"/a\\\\ b/git-credential-gitspace\""),
            ("/a'$(x)/h", "/a\\'\\$\\(x\\)/h", "/a\\\\'\\\\$\\\\(x\\\\)/h"),
            ("/a#b;c/h", "/a\\#b\\;c/h", "\"/a\\\\#b\\\\;c/h\""), ("/a\"b/h", "/a\\\"b/h", "/a\\\\\\\"b/h"),
            ("/\u{ae40}/h", "/\u{ae40}/h", nil), ("/e\u{301}/h", "/e\\\u{301}/h", "/e\\\\\u{301}/h"),
        ])
    func quoting(path: String, value: String, inFile: String?) throws {
        let command = try #require(HelperCommand(path: path))
        #expect(command.value == value)
        #expect(command.quotedForFile == inFile ?? value)
        #expect(HelperCommand.path(in: value) == path)
    }

    @Test("refuses a path that git could not run", arguments: ["", "bin/h", "~/h", "/a\nb/h", "/a\u{7f}/h"])
    func refused(path: String) { #expect(HelperCommand(path: path) == nil) }

    @Test(
        "recognizes our helper by its name in any folder",
        arguments: [
            ("gitspace", true), ("/opt/x/git-credential-gitspace", true), ("/a\\ b/git-credential-gitspace", true),
            ("gitspace2", false), ("/bin/git-credential-gitspace-full", false), ("!git-credential-gitspace", false),
            ("/bin/sh -c /git-credential-gitspace", false), ("store --file=/git-credential-gitspace", false),
        ])
    func isOurs(value: String, expected: Bool) { #expect(HelperCommand.isOurs(value) == expected) }
}
