import CredentialCore
import TestSupport
import Testing

@Suite("The verb check: a host's refusals")
struct CheckRefusalTests {
    private static let signInAgain = "  git credential-gitspace login github.com octocat --force"

    @Test(
        "says whose rule it is, and what helps",
        arguments: [
            (
                "OAuth App access restrictions", "app_restricted",
                "the organization acme has not approved the app you signed in with",
                [
                    "ask its owners to approve the app; you can send the request from the app's entry here:",
                    "  https://github.com/settings/connections/applications",
                ]
            ),
            (
                "an IP allow list enabled", "address_not_allowed",
                "the organization acme does not allow access from this network",
                ["try again from the organization's network or VPN"]
            ), ("Repository access blocked", "blocked", "GitHub has blocked access to acme/widgets", []),
            (
                "organization SAML enforcement", "single_sign_on", "the organization acme requires single sign-on",
                [
                    "sign in there in the browser, then sign in here again:", "  https://github.com/orgs/acme/sso",
                    signInAgain,
                ]
            ),
        ] as [(String, String, String, [String])])
    func refusals(message: String, result: String, text: String, hints: [String]) throws {
        let helper = HelperFixture()
        helper.stored(expiresIn: 3_600)
        helper.doubles.transport.aside = { $0.address.hasSuffix("/user") ? .page(status: 502) : nil }
        helper.doubles.transport.answer(.json("{\"message\":\"\(message)\"}", status: 403))
        let finding = try VerbFixture(helper.doubles).check("https://github.com/acme/widgets")
        #expect(finding["result"] == result && finding["text"] == text && finding.hints == hints)
        #expect(finding.isTrue("read") == false)
    }
}
