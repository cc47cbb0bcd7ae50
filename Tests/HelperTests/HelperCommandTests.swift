import CredentialCore
import Helper
import Testing

@Suite("The command by which git calls the program")
struct HelperCommandTests {
    @Test(
        "quotes a path for the shell, and for git's configuration file",
        arguments: [
            ("/usr/bin/git-credential-gitspace", "/usr/bin/git-credential-gitspace", nil),
            ("/a b/git-credential-gitspace", "/a\\ b/git-credential-gitspace", "\"/a\\\\ b/git-credential-gitspace\""),
            ("/a'$(x)/h", "/a\\'\\$\\(x\\)/h", "/a\\\\'\\\\$\\\\(x\\\\)/h"),
            ("/a#b;c/h", "/a\\#b\\;c/h", "\"/a\\\\#b\\\\;c/h\""), ("/a\"b/h", "/a\\\"b/h", "/a\\\\\\\"b/h"),
            ("/\u{ae40}/h", "/\u{ae40}/h", nil),
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
