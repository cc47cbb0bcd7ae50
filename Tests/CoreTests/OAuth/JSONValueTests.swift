import CredentialCore
import Providers
import Testing

@Suite("Untrusted JSON")
struct JSONValueTests {
    private func parse(_ text: String) -> JSONValue? { JSONValue(parsing: Array(text.utf8)) }

    @Test("reads every kind of value")
    func kinds() {
        #expect(
            parse("\t\r\n" + #" { "s" : "t", "n": -1.5e+3 ,"t":true,"f":false,"z":null,"a":[1,[],{}] } "#)
                == .object([
                    "s": .string(Array("t".utf8)), "n": .number("-1.5e+3"), "t": .bool(true), "f": .bool(false),
                    "z": .null, "a": .array([.number("1"), .array([]), .object([:])]),
                ]))
        #expect(parse("{}")?["x"] == nil)
        #expect(parse(#"{"x":null}"#)?["x"] == nil)
        #expect(parse(#"{"x":true}"#)?["x"]?.bool == true)
        #expect(parse(#"["x"]"#)?["x"] == nil)
    }

    @Test(
        "keeps a number as text",
        arguments: ["0", "-0", "10", "0.5", "1e308", "9E18", "123456789012345678901234567890"])
    func numbers(text: String) { #expect(parse(text) == .number(text)) }

    @Test(
        "refuses what RFC 8259 does not allow, and the same member twice (RFC 6749, 3.2)",
        arguments: [
            "01", "-01", "+1", "1.", ".5", "-", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity", "1_000", "1,5",
            "１", #""\ud83d""#, #""\ude00""#, #""\ud83d\u0041""#, #""\ud83dx""#, #""\ud83d\ud83d""#, #""\x41""#,
            #""\u004""#, #""\u00zz""#, #""\u+041""#, #""\u 041""#, #""\"#, #""\'""#, #""\U0041""#, #"{"a":1,"a":1}"#,
            #"{"access_token":"x","b":2,"access_token":"y"}"#, #"{"a":1,"\u0061":2}"#, #"[{"a":1,"a":2}]"#, "", " ",
            "{", "}", "[", "[1", "[1,]", "[,1]", "[1 2]", #"{"a":1,}"#, #"{,}"#, #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#,
            "{a:1}", "{'a':1}", #"{"a":1}x"#, "{} {}", "tru", "truex", "True", "nul", #""open"#, "\"line\nend\"",
            "\"tab\t\"", "// c\n{}", "/* */{}", "undefined", "\u{feff}{}", "{\u{a0}}", "\u{c}{}", "{}\0",
        ])
    func refused(json: String) { #expect(parse(json) == nil) }

    @Test(
        "reads escapes, and surrogates in pairs",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00""#, "😀"), (#""\u0000""#, "\0"), (#""é😀""#, "é😀"),
            (#""\uffff""#, "\u{ffff}"),
        ])
    func escapes(json: String, text: String) { #expect(parse(json)?.string == Array(text.utf8)) }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82]] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) { #expect(JSONValue(parsing: [0x22] + bytes + [0x22]) == nil) }

    @Test(
        "reads a numeric date, whole or not (RFC 7519, 2), and nothing else as one, without a trap",
        arguments: [
            ("0", 0), ("-0", 0), ("1800000000", 1_800_000_000), ("1.8e9", 1_800_000_000),
            ("1800000000.999", 1_800_000_000), ("253402300799", 253_402_300_799), ("1e-5", 0), ("-1", nil),
            ("-0.5", nil), ("253402300800", nil), ("1e12", nil), ("1e308", nil), ("1e400", nil), ("-1e400", nil),
            ("9223372036854775808", nil), ("123456789012345678901234567890", nil), (#""1800000000""#, nil),
            ("true", nil), ("null", nil), ("[1]", nil), ("{}", nil),
        ] as [(String, Int64?)])
    func date(json: String, seconds: Int64?) { #expect(parse(json)?.numericDate == seconds) }

    @Test(
        "reads back what it writes",
        arguments: [
            "null", "true", "false", "-1.5e3", #""""#, #""a\"\\/é😀""#, #""\u0000\u001f\n""#, "[]", "{}", #"[1,[],"x"]"#,
            #"{"b":{"a\"":1},"a":[{}],"":null}"#,
        ])
    func serialized(json: String) {
        let value = parse(json)
        #expect(value != nil)
        #expect(value.flatMap { JSONValue(parsing: $0.serialized.reveal { Array($0) }) } == value)
    }

    @Test("writes members in one order, whatever order they came in")
    func memberOrder() { #expect(parse(#"{"b":1,"c":2,"a":3}"#)?.serialized == Secret(#"{"a":3,"b":1,"c":2}"#.utf8)) }

    @Test("refuses more than 32 levels, even a hundred thousand")
    func depth() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(parse(nested(32)) != nil)
        #expect(parse(nested(33)) == nil)
        #expect(parse(nested(100_000)) == nil)
        #expect(parse(String(repeating: #"{"a":"#, count: 100_000)) == nil)
    }
}
