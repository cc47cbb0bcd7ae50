import TestSupport
import Testing

@Suite("Fields of a response")
struct AnswerFieldsTests {
    private func fields(_ json: String) throws -> JSONValue { try #require(HTTPResponse.json(json).fields) }

    @Test("reads an empty text and null as none, and no text of another type")
    func texts() throws {
        let fields = try fields(#"{"empty":"","null":null,"number":5,"text":"x"}"#)
        #expect(fields.text("empty") == nil && fields["empty"] != nil)
        #expect(fields.text("null") == nil && fields["null"] == nil)
        #expect(fields.text("number") == nil && fields["number"] != nil && fields.text("text") == Array("x".utf8))
        #expect(fields["absent"] == nil)
    }

    @Test(
        "limits seconds to -1 and ten years, without a trap",
        arguments: [
            ("5", 5), ("28800", 28_800), (#""28800""#, 28_800), ("0", 0), ("-5", -1), (#""-5""#, -1), ("1.9", 1),
            ("1e9", 315_360_000), ("9e18", 315_360_000), ("1e308", 315_360_000), ("1e999", 315_360_000), ("-1e999", -1),
            ("1e-9", 0), ("99999999999999999999", 315_360_000),
        ])
    func seconds(json: String, expected: Int64) throws {
        #expect(try fields(#"{"s":\#(json)}"#).seconds("s") == expected)
    }

    @Test(
        "refuses a value that is no number as seconds",
        arguments: [
            "null", "true", #""soon""#, #""""#, "[5]", "{}", #""0x10""#, #""inf""#, #""nan""#, #""1e""#,
            #""5 seconds""#,
        ])
    func noSeconds(json: String) throws {
        #expect(try fields(#"{"s":\#(json)}"#).seconds("s") == nil)
    }

    @Test("refuses a body that is no JSON object", arguments: ["[]", "5", "", "{", "a=b", "<html>", #"{"a":1,"a":2}"#])
    func noObject(body: String) { #expect(HTTPResponse.json(body).fields == nil) }
}

@Suite("Form-encoded text")
struct FormBuilderTests {
    @Test("escapes everything but letters, digits and four signs, and leaves an empty value out (RFC 6749, 3.1)")
    func encoding() {
        var form = FormBuilder()
        let fields = [("scope", "repo gist"), ("empty", ""), ("odd", "&=+%/é\n"), ("plain", "aZ09-._~")]
        for (name, value) in fields { form.add(name, value.utf8) }
        guard case .form(let body) = form.finish() else { return #expect(Bool(false), "a form is a form") }
        #expect(body.text == "scope=repo%20gist&odd=%26%3D%2B%25%2F%C3%A9%0A&plain=aZ09-._~")
    }
}
