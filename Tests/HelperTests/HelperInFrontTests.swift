import TestSupport
import Testing

@Suite("The verb status: helpers that git asks before ours")
struct HelperInFrontTests: HelperSuite {
    let helper = HelperFixture()

    /// Returns what status prints with the given global configuration of git.
    private func status(_ configuration: String, host: String? = "github.com") throws -> String {
        verb.files.texts[.global] = configuration
        return try verb.run(["status", "--offline"] + (host.map { [$0] } ?? [])).text.joined(separator: "\n")
    }

    private static let replaced = """
        [credential "https://github.com"]
        helper =
        helper = !/usr/bin/gh auth git-credential

        """

    @Test("names the helper that gh auth setup-git put in our place", arguments: ["github.com", nil])
    func replaced(host: String?) throws {
        helper.stored(expiresIn: 3_600)
        let text = try status(Self.replaced, host: host)
        #expect(
            text.contains(
                "git uses the helper !/usr/bin/gh auth git-credential instead of gitspace for github.com (set in /global)\n"
            ), "\(text)")
        #expect(
            text.contains("\nTo have git use gitspace: git credential-gitspace configure github.com\n\n"), "\(text)")
    }

    @Test("names a helper before ours, and neither one after ours nor none")
    func before() throws {
        // Somebody who is signed out needs to know it as well.
        #expect(try status(Self.replaced).contains("instead of gitspace for github.com"))
        helper.stored(expiresIn: 3_600)
        #expect(
            try status("[credential]\nhelper = osxkeychain\nhelper = gitspace\n").contains(
                "the helper osxkeychain runs before gitspace for github.com: its answer is used instead"))
        #expect(
            try status("").hasPrefix("git is not set up to use gitspace for github.com\nTo have git use gitspace: "))
        for quiet in ["[credential]\nhelper = gitspace\nhelper = cache\n", "[credential]\nhelper = gitspace\n"] {
            #expect(!(try status(quiet).contains("helper")), "\(quiet)")
        }
    }
}
