import TestSupport
import Testing

/// Items as every version has written them, byte for byte.
///
/// Each later version reads, refreshes and erases them. Forms that are no longer written stay here. A new line of the
/// secret gets a new form.
@Suite("Stored forms of all versions")
struct StoredFormTests: HelperSuite {
    let helper = HelperFixture()

    /// The credentials without a sign-in; `NOW+n` stands for a time.
    private static let plainForms = [
        "git's helper before 2.43": "ghu_old", "git's helper since 2.43": "ghu_old\npassword_expiry_utc=NOW+3600",
        "another helper, through git": "ghu_old\npassword_expiry_utc=NOW+3600\noauth_refresh_token=ghr_o",
    ]
    private static let grantForms = [
        "the first form of a sign-in": "oauth_refresh_token=ghr_old\ngitspace_client_id=Iv1.0123456789abcdef",
        "with what replaced it": """
        oauth_refresh_token=ghr_old
        gitspace_client_id=Iv1.0123456789abcdef
        gitspace_scope=repo
        gitspace_refresh_token_expiry_utc=NOW+900000
        gitspace_superseded=0123456789abcdef
        """,
        "with its time": """
        oauth_refresh_token=ghr_old
        gitspace_client_id=Iv1.0123456789abcdef
        gitspace_since=1600000000
        """,
        "with its issuing": """
        oauth_refresh_token=ghr_old
        gitspace_client_id=Iv1.0123456789abcdef
        gitspace_token_origin=https://github.com
        gitspace_issued=1600000000
        gitspace_since=1600000000
        """,
        "with a line of a later version": """
        oauth_refresh_token=ghr_old
        gitspace_client_id=Iv1.0123456789abcdef
        gitspace_of_tomorrow=1
        """,
    ]

    private func put(_ form: String) {
        var text = form
        for seconds in [3_600, 900_000] {
            text.replace("NOW+\(seconds)", with: "\(RecordingClock.start + Int64(seconds))")
        }
        text.replace("NOW-10", with: "\(RecordingClock.start - 10)")
        helper.stored(text: text)
    }

    @Test("get refreshes each expired sign-in with its own client", arguments: grantForms.values.sorted())
    func refreshed(lines: String) throws {
        put("ghu_old\npassword_expiry_utc=NOW-10\n" + lines)
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("password=ghu_16C7") && requests.count == 1)
        #expect(doubles.keyring.onlyText?.contains("oauth_refresh_token=ghr_1B4a") == true)
    }

    @Test("get returns each plain form, and erase removes it by its password", arguments: plainForms.values.sorted())
    func plain(form: String) throws {
        put(form)
        #expect(try get().contains("password=ghu_old\n"))
        _ = try helper.run(.erase, "protocol=https\nhost=github.com\nusername=octocat\npassword=other")
        #expect(doubles.keyring.items.count == 1)
        _ = try helper.run(.erase, "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old")
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test(
        "get returns each valid sign-in, and erase keeps its refresh token if it is rejected",
        arguments: grantForms.values.sorted())
    func valid(lines: String) throws {
        put("ghu_old\npassword_expiry_utc=NOW+3600\n" + lines)
        #expect(try get().contains("password=ghu_old\n") && requests.isEmpty)
        let mark = helper.mark("ghu_old")
        let credential = "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old"
        _ = try helper.run(.erase, "capability[]=state\nstate[]=\(mark)\n" + credential)
        #expect(doubles.keyring.onlyText?.contains("oauth_refresh_token=ghr_old") == true)
        #expect(doubles.keyring.onlyText?.hasPrefix("ghu_old") == false)
    }
}
