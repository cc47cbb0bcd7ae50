import OAuth
import TestSupport
import Testing

@Suite("The named values of an answer")
struct AnswerFieldsTests {
    private func fields(_ json: String) throws -> AnswerFields { try #require(AnswerFields(.json(json))) }

    @Test("JSON and form-encoded text read alike")
    func shapes() throws {
        let form = try #require(
            AnswerFields(
                .form(
                    "device_code=3584d8&expires_in=900&user_code=WDJB-MJHT"
                        + "&verification_uri=https%3A%2F%2Fgithub.com%2Flogin%2Fdevice")))
        let json = try fields(
            #"{"device_code":"3584d8","expires_in":900,"user_code":"WDJB-MJHT","verification_uri":"https://github.com/login/device"}"#
        )
        for name in ["device_code", "user_code", "verification_uri", "absent"] {
            #expect(form.text(name) == json.text(name))
        }
        #expect(form.seconds("expires_in") == 900 && json.seconds("expires_in") == 900)
    }

    @Test("an empty text is as good as none; null is none; another kind is no text")
    func texts() throws {
        let fields = try fields(#"{"empty":"","null":null,"number":5,"text":"x"}"#)
        #expect(fields.text("empty") == nil && fields.has("empty"))
        #expect(fields.text("null") == nil && !fields.has("null"))
        #expect(fields.text("number") == nil && fields.has("number"))
        #expect(fields.text("text") == Array("x".utf8))
        #expect(!fields.has("absent"))
    }

    @Test(
        "seconds are held between -1 and ten years, and never trap",
        arguments: [
            ("5", 5), ("28800", 28_800), (#""28800""#, 28_800), ("0", 0), ("-5", -1), (#""-5""#, -1), ("1.9", 1),
            ("1e9", 315_360_000),
            ("9e18", 315_360_000), ("1e308", 315_360_000), ("1e999", 315_360_000), ("-1e999", -1), ("1e-9", 0),
            ("99999999999999999999", 315_360_000),
        ])
    func seconds(json: String, expected: Int64) throws {
        #expect(try fields(#"{"s":\#(json)}"#).seconds("s") == expected)
    }

    @Test(
        "what is no number is no number of seconds",
        arguments: [
            "null", "true", #""soon""#, #""""#, "[5]", "{}", #""0x10""#, #""inf""#, #""nan""#, #""1e""#,
            #""5 seconds""#,
        ])
    func noSeconds(json: String) throws {
        #expect(try fields(#"{"s":\#(json)}"#).seconds("s") == nil)
    }

    @Test(
        "whatever is neither shape is no answer", arguments: ["[]", "5", "", "{", "a=b", "<html>", #"{"a":1,"a":2}"#])
    func neither(body: String) {
        #expect(AnswerFields(.json(body)) == nil)
    }
}

@Suite("Form-encoded text")
struct FormTextTests {
    private func text(_ form: String) -> [UInt8]? { AnswerFields(.form(form))?.text("v") }

    @Test(
        "plus signs and escapes are decoded",
        arguments: [
            ("v=a+b", "a b"), ("v=a%20b", "a b"), ("v=%e2%82%ac", "€"), ("v=%2B%26%3D", "+&="), ("u=1&v=x=y", "x=y"),
            ("&&v=x&", "x"),
            ("%76=x", "x"),
        ])
    func decoding(form: String, expected: String) {
        #expect(text(form) == Array(expected.utf8))
    }

    @Test(
        "an escape that is none, a name without value or a name twice spoil the form",
        arguments: [
            "v=%", "v=%4", "v=%zz", "v=%+1", "v=%-0", "v=%1+", "v=% 1", "v", "v=1&w", "v=1&v=2", "v=1&%76=1",
            "%ff=1&v=1", "",
        ])
    func refused(form: String) {
        #expect(AnswerFields(.form(form)) == nil)
    }

    @Test("a form is read only if it says that it is one")
    func contentType() {
        let body = Array("v=1".utf8)
        let type = ("content-type", Array("Application/X-WWW-Form-URLencoded".utf8))
        #expect(AnswerFields(HTTPResponse(status: 200, body: body)) == nil)
        #expect(AnswerFields(HTTPResponse(status: 200, body: body, headers: [type])) != nil)
    }

    @Test("everything but letters, digits and four marks is escaped")
    func encoding() {
        var form = FormText.Builder()
        form.add("scope", "repo gist".utf8)
        form.add("odd", "&=+%/é\n".utf8)
        form.add("plain", "aZ09-._~".utf8)
        guard case .form(let body) = form.finish() else { return #expect(Bool(false), "a form is a form") }
        #expect(body.text == "scope=repo%20gist&odd=%26%3D%2B%25%2F%C3%A9%0A&plain=aZ09-._~")
    }

    @Test("an empty value is the same as none, and is left out (RFC 6749, 3.1)")
    func empty() {
        var form = FormText.Builder()
        form.add("scope", "".utf8)
        form.add("client_id", "x".utf8)
        guard case .form(let body) = form.finish() else { return #expect(Bool(false), "a form is a form") }
        #expect(body.text == "client_id=x")
    }
}
