import Staging
import Testing

extension Browsers {
    @Suite("The page at the end of a sign-in", .serialized) struct EndPageTests {
        private func signIn(
            by browser: RealBrowser, approving: Bool, environment: [String: String] = [:]
        ) async throws -> (page: RealBrowser.Page, fixture: EndToEndFixture) {
            let fixture = try await EndToEndFixture(.gitLab, settings: "gitspaceBrowser = browser")
            if !approving { try "".write(to: fixture.session.home + "/no") }
            let (git, terminal) = try await browser.start(
                fixture, ["ls-remote", fixture.address()], environment: environment)
            terminal.type("\n")
            #expect((try await git.ended().status == 0) == approving, "\(terminal.text)")
            return (try await browser.page(on: fixture), fixture)
        }

        /// Expects one TLS request to the git host and one to our redirect, and no others.
        private func expectOneRequest(_ page: RealBrowser.Page, _ fixture: EndToEndFixture) {
            // Requests to other hosts are the browser's own, to its maker.
            let here = page.requests.filter { $0.contains("127.0.0.1") || $0.contains("localhost") }
            #expect(here.last?.hasPrefix("GET http://127.0.0.1:") == true, "\(page.requests)")
            #expect(here.dropLast().allSatisfy { $0 == "CONNECT \(fixture.host)" }, "\(here)")
            #expect(page.resources == 0)
        }

        @Test("names the account that signed in, and loads nothing else", arguments: RealBrowser.allCases)
        func signedIn(browser: RealBrowser) async throws {
            let tried = "sign in, approved and declined, in English and Korean"
            guard let version = browser.version(tried: tried) else { return }
            let (page, fixture) = try await signIn(by: browser, approving: true)
            #expect(page.title == "Signed in to \(fixture.host) as monalisa")
            #expect(page.text.contains("You can close this window."), "\(page.text)")
            expectOneRequest(page, fixture)
            let (declined, other) = try await signIn(by: browser, approving: false, environment: ["LANGUAGE": "ko"])
            #expect(declined.title == "\(other.host)에 로그인하지 못했습니다", "\(declined.title)")
            expectOneRequest(declined, other)
            WorldRow.add(
                .browsers, browser.program, version, tried: tried,
                result: "git goes on or ends; the page says so, and asks nobody for anything, not for an icon either")
        }
    }
}
