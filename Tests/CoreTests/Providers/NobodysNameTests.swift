import CredentialCore
import Providers
import Testing

@Suite("Names that no account can have")
struct NobodysNameTests {
    @Test(
        "refuses each service's forbidden characters and lengths, and reserved words in any letter case",
        arguments: [
            (ProviderID.github, "-_", 39), (.gitlab, "-_.", 255), (.gitea, "-_.", 40),
            (.oidc, "!\"#$%&'()*+,-./;<=>?@[\\]^_`{|}~", 255),
        ])
    func names(id: ProviderID, signs: String, longest: Int) throws {
        let facts = try #require(SignInHost(configured: HostName(name: "git.example"), provider: id)).provider.facts
        func isNobodys(_ name: String) -> Bool { facts.isNobodys(Array(name.utf8)) }
        for byte in UInt8.min...UInt8.max {
            let isAllowed = ASCII.isLetterOrDigit(byte) || signs.utf8.contains(byte)
            #expect(facts.isNobodys([UInt8(ascii: "a"), byte]) != isAllowed, "\(byte)")
        }
        let longestName = String(repeating: "a", count: longest)
        #expect(!isNobodys(longestName) && isNobodys(longestName + "a") && isNobodys(""))
        for word in ["git", "Git", "oauth2", "OAuth2", "x-access-token", facts.anyUsername] { #expect(isNobodys(word)) }
        for word in ["gi", "gits", "oauth", "octocat"] { #expect(!isNobodys(word)) }
    }
}
