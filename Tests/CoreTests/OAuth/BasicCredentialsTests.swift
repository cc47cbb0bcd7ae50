import TestSupport
import Testing

@Suite("Basic credentials (RFC 7617)")
struct BasicCredentialsTests {
    @Test(
        "encodes the RFC's own examples, and every length of a group",
        arguments: [
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123\u{a3}", "dGVzdDoxMjPCow=="),
            ("a", "", "YTo="), ("a", "b", "YTpi"), ("a", "bc", "YTpiYw=="),
            ("oauth2", "glpat-x", "b2F1dGgyOmdscGF0LXg="),
        ])
    func encoded(username: String, password: String, text: String) {
        #expect(BasicCredentials.encode(username: username, password: Secret(password)).text == text)
    }
}
