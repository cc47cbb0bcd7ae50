import Providers
import TestSupport
import Testing

@Suite("The verb doctor: an app that acts in its own name")
struct DoctorAppTests {
    /// Returns the findings about the app at github.com, which answers with a list of installations.
    private func found(_ installations: String, app: HTTPResponse = .json("{}"), sendsPaths: Bool = false) -> String {
        Examination.diagnoses(.app) { examination in
            let doubles = examination.doubles
            doubles.configure("credential", "https://github.com", ["githubAppId": "4711", "githubAppKey": "/app.pem"])
            if sendsPaths { doubles.configure("credential", "https://github.com", "useHttpPath", "true") }
            let others = doubles.transport.aside
            doubles.transport.aside = { request in
                switch request.address {
                case "https://api.github.com/app": app
                case "https://api.github.com/app/installations?per_page=5": .json(installations)
                default: others(request)
                }
            }
        }.map { ["\($0.result): \($0.text)"] + $0.hints }.joined().joined(separator: "\n")
    }

    private func installation(_ owner: String, _ more: String) -> String {
        "{\"id\":42,\"account\":{\"login\":\"\(owner)\"},\(more)}"
    }

    private static let known = "ok: github.com knows the app 4711 by its private key\n"

    @Test("tells what the app may do with the contents of its owner's repositories")
    func permissions() {
        #expect(
            found("[\(installation("acme", #""permissions":{"contents":"write"}"#))]")
                == Self.known + "ok: the app is installed for acme")
        #expect(
            found("[\(installation("acme", #""permissions":{"contents":"read"}"#))]")
                == Self.known + """
                    warn: the app may read, but not push to the repositories of acme
                    to push, give it the permission Contents: write on the app's settings page
                    """)
        #expect(
            found("[\(installation("acme", #""permissions":{"metadata":"read"}"#))]")
                == Self.known + """
                    fail: the app may not read the repositories of acme
                    give it the permission Contents on the app's settings page
                    """)
    }

    @Test("reports a suspended installation, and an app that nobody has installed")
    func notAtWork() {
        #expect(
            found("[\(installation("acme", #""suspended_at":"2023-11-14T22:13:20Z""#))]")
                == Self.known + "fail: the app's installation for acme on github.com is suspended")
        #expect(found("[]").hasPrefix(Self.known + "fail: the app is not installed for anybody on github.com"))
    }

    @Test("accepts several installations only if git sends the path that chooses one")
    func several() {
        let both = #"[{"id":1,"account":{"login":"acme"}},{"id":2,"account":{"login":"other"}}]"#
        #expect(found(both, sendsPaths: true) == Self.known + "ok: the app is installed for acme, other")
        #expect(
            found(both)
                == Self.known + """
                    fail: the app has several installations on github.com (acme, other)
                    have git send the repository's path:
                      git config --global credential.https://github.com.useHttpPath true
                    in a command, name the owner:
                      git credential-gitspace login https://github.com/OWNER
                    """)
    }

    @Test("blames the ID or the key if the host does not know the app")
    func unknown() {
        #expect(
            found("[]", app: .json("{}", status: 401)) == """
                fail: github.com accepts neither the app ID 4711 nor its private key
                check both; the key must be one that the app's settings page still lists:
                  git config --global --get-regexp 'credential\\..*githubapp'
                """)
    }
}
