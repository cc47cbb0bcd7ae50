import CredentialCore
import Helper
import Providers
import Staging
import Testing
import UserInterface

@Suite("The page at the end of a sign-in")
struct RedirectPageTests {
    @Test("shows a server's text as text, never as markup")
    func escaped() async throws {
        let redirect = try LoopbackListener(at: RedirectAddress(.loopbackAddress, path: "/"))
        let client = try SocketClient(toPort: redirect.port)
        client.send(Array("GET /?error=e HTTP/1.1\r\nHost: 127.0.0.1:\(redirect.port)\r\n\r\n".utf8))
        try await eventually("the request") { redirect.next { _ in true } == nil ? nil : true }
        let error = UserFacingError.signIn(.refused("<script>\"&"), host: "git.example", clientID: "c")
        redirect.show(.failed(host: "git.example", error))
        let page = try await client.answer()
        #expect(page.contains("&lt;script&gt;&quot;&amp;") && !page.contains("<script"), "\(page)")
    }
}
