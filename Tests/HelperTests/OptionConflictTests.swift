import TestSupport
import Testing

@Suite("Options that contradict each other")
struct OptionConflictTests {
    @Test(
        "are refused with the reason",
        arguments: [
            (["logout", "github.com", "--force"], "'--force' can only be used together with '--revoke'."),
            (["logout", "github.com", "mona", "--all"], "'--all' cannot be used together with an account."),
            (
                ["setup", "--with-token", "--client-id", "Iv1.x"],
                "'--with-token' cannot be used together with '--client-id' or '--github-app'."
            ),
            (
                ["setup", "--with-token", "--github-app"],
                "'--with-token' cannot be used together with '--client-id' or '--github-app'."
            ),
            (
                ["setup", "github.com", "mona", "--username", "bob"],
                "'--username' cannot be used together with a name after the host."
            ), (["switch", "github.com", "mona", "--unset"], "'--unset' takes no account"),
            (
                ["switch", "github.com", "mona", "--here", "--folder", "/work"],
                "'--here' and '--folder' cannot be used together."
            ),
            (
                ["switch", "github.com", "mona", "--owner", "a//b"],
                "'--owner' takes a name as it is in the repository's URL."
            ),
            (
                ["configure", "--proactive", "--system"],
                "'--proactive' depends on your own accounts, so it cannot be used with '--system'."
            ),
        ])
    func conflicts(words: [String], reason: String) { #expect(complaint(about: words) == reason) }
}
