package import StandIn

/// An answer that no honest server gives, with a name for the failure's text.
package struct HostileAnswer: Sendable {
    package let name: String
    package let answer: ScriptedAnswer

    package init(_ name: String, _ answer: ScriptedAnswer) {
        self.name = name
        self.answer = answer
    }

    /// An answer with a text as its body, and status 200.
    static func body(_ name: String, _ text: String, type: String = "application/json") -> HostileAnswer {
        HostileAnswer(name, .answer(.text(text, type: type)))
    }

    /// An answer with bytes that are not text, and status 200.
    static func bytes(_ name: String, _ bytes: [UInt8]) -> HostileAnswer {
        HostileAnswer(
            name, .answer(Answer(status: 200, headers: [Header("Content-Type", "application/json")], body: bytes)))
    }

    /// Answers made from a template by replacing `%`, which stands for a field's value with its quotes.
    static func fields(_ template: String, _ field: String, _ values: [(String, String)]) -> [HostileAnswer] {
        values.map { name, value in .body("\(field) \(name)", template.replacing("%", with: "\"\(field)\":\(value)")) }
    }

    /// Answers that are malformed, whatever the request was.
    package static func shapes(host: String) -> [HostileAnswer] {
        let redirects = [
            ("http", "http://evil.example/"), ("another host", "https://evil.example/"), ("file", "file:///etc/passwd"),
            ("userinfo", "https://\(host)@evil.example/"), ("itself", "https://\(host)/elsewhere"),
            ("backslash", "https://\(host)\\@evil.example/"), ("gopher", "gopher://evil.example/"),
        ]
        let deep = String(repeating: "[", count: 30_000)
        let utf16: [UInt8] = "{\"error\":\"x\"}".utf16.flatMap { [UInt8($0 & 0xff), 0] }
        let invalid: [UInt8] = Array("{\"error\":\"".utf8) + [0xff, 0xc0, 0xaf] + Array("\"}".utf8)
        let moved = redirects.map { HostileAnswer("redirect to \($0)", .redirect(to: $1, status: 302)) }
        let movedOtherwise = [301, 303, 307, 308].map { status in
            HostileAnswer("\(status)", .redirect(to: "https://evil.example/", status: status))
        }
        let others: [HostileAnswer] = [
            .body("nothing", ""), .body("null", "null"), .body("a list", "[]"), .body("a number", "1"),
            .body("an empty object", "{}"), .body("a page", "<script>\u{1b}[2J</script>", type: "text/html"),
            .body("nested 30 000 deep", deep), .body("an object cut short", "{\"access_token\":\"gho_x"),
            .body("a trailing comma", "{\"a\":1,}"), .body("two values", "{} {}"),
            .body("a repeated member", "{\"error\":\"slow_down\",\"error\":\"access_denied\"}"),
            .bytes("a byte order mark", [0xef, 0xbb, 0xbf, 0x7b, 0x7d]), .bytes("UTF-16", utf16),
            .bytes("invalid UTF-8", invalid), .bytes("NUL bytes", [UInt8](repeating: 0, count: 4_096)),
            .body("a form with a line feed", "error=x%0Aquit=1", type: "application/x-www-form-urlencoded"),
            .body("a form with a broken escape", "error=%zz", type: "application/x-www-form-urlencoded"),
            HostileAnswer("a body without end", .endlessBody), HostileAnswer("header lines without end", .headerFlood),
            HostileAnswer("hung up", .hangUp), HostileAnswer("not HTTP", .raw("SSH-2.0-OpenSSH_9.2\r\n")),
            HostileAnswer("HTTP/0.9", .raw("{\"access_token\":\"gho_x\",\"token_type\":\"bearer\"}")),
            HostileAnswer("two lengths", .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}")),
            HostileAnswer("a negative length", .raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}")),
            HostileAnswer("a broken chunk", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}")),
            HostileAnswer("a compressed body", .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\u{1f}\u{8}")),
            HostileAnswer("a status of nine digits", .raw("HTTP/1.1 200000000 OK\r\n\r\n{}")),
            HostileAnswer("status 500", .status(500)), HostileAnswer("status 204", .answer(Answer(status: 204))),
            HostileAnswer("status 418", .status(418)),
            HostileAnswer("429 for a million years", .status(429, headers: [Header("Retry-After", "31536000000000")])),
            HostileAnswer("429 until a date", .status(429, headers: [Header("Retry-After", "Fri, 31 Dec 9999")])),
            HostileAnswer("429 for less than nothing", .status(429, headers: [Header("Retry-After", "-1")])),
            HostileAnswer("cookies", .status(500, headers: [Header("Set-Cookie", "a=b; Domain=evil.example")])),
            HostileAnswer("a shown error", .oauthError("x\u{1b}]52;c;eA==\u{7}\r\n\u{9b}2J\u{202e}")),
            HostileAnswer("a long error", .oauthError(String(repeating: "e", count: 50_000))),
            .body("an error and a token", tokenWithError),
        ]
        return moved + movedOtherwise + others
    }

    private static let tokenWithError =
        "{\"error\":\"nonsense\",\"access_token\":\"gho_x\",\"token_type\":\"bearer\",\"scope\":\"repo\"}"

    /// Texts that must not be shown, stored or sent, as JSON values.
    private static let texts = [
        ("with a line feed", "\"x\\nquit=1\""), ("with a carriage return", "\"x\\rquit=1\""),
        ("with a NUL", "\"x\\u0000\""), ("with a space", "\"x y\""), ("empty", "\"\""), ("a number", "7"),
        ("null", "null"), ("a list", "[\"x\"]"), ("an escape sequence", "\"\\u001b[2J\""),
        ("a C1 control", "\"\\u009b2J\""), ("full width", "\"\\uff58\""), ("a lone surrogate", "\"\\ud800\""),
        ("50 000 bytes", "\"\(String(repeating: "x", count: 50_000))\""), ("an object", "{\"x\":1}"), ("true", "true"),
    ]

    /// Numbers that are invalid as a lifetime.
    private static let numbers = [
        ("negative", "-1"), ("zero", "0"), ("text", "\"soon\""), ("a list", "[1]"), ("not a number", "NaN"),
        ("leading zero", "01"), ("true", "true"),
    ]

    /// Answers of the token endpoint that contain no usable token.
    package static let tokens: [HostileAnswer] =
        // Spaces are absent from the list: RFC 6749, A.12, allows them in a token.
        fields(
            "{%,\"token_type\":\"bearer\",\"scope\":\"repo\"}", "access_token", texts.filter { $0.0 != "with a space" })
        + fields("{\"access_token\":\"gho_x\",%}", "token_type", texts + [("mac", "\"mac\"")])
        + fields("{\"access_token\":\"gho_x\",\"token_type\":\"bearer\",%}", "expires_in", numbers)
        + fields(
            "{\"access_token\":\"gho_x\",\"token_type\":\"bearer\",%}", "refresh_token",
            texts.filter { ["with a line feed", "with a NUL", "a C1 control", "50 000 bytes"].contains($0.0) })
        + [.body("no token type", "{\"access_token\":\"gho_x\"}")]

    /// Answers to the device code request that must not be shown to a person.
    package static func deviceCodes(host: String) -> [HostileAnswer] {
        let page = "\"verification_uri\":\"https://\(host)/login/device\""
        let addresses = [
            ("http", "http://\(host)/"), ("elsewhere", "https://evil.example/"),
            ("suffix", "https://\(host).evil.example/"), ("userinfo", "https://\(host)@evil.example/"),
            ("userinfo of ours", "https://x@\(host)/"), ("backslash", "https://\(host)\\\\@evil.example/"),
            ("no port", "https://localhost/"), ("other port", "https://localhost:1/"),
            ("javascript", "javascript:alert(1)"), ("file", "file:///etc/passwd"), ("data", "data:text/html,x"),
            ("option", "--version"), ("short option", "-h"), ("line feed", "https://\(host)/\\nx"),
            ("escape", "https://\(host)/\\u001b[2J"), ("space", "https://\(host)/ x"),
            ("bidi", "https://\(host)/\\u202e"), ("full width", "https://\\uff4cocalhost/"),
            ("fragment", "https://\(host)/#x"), ("one slash", "https:/\(host)/"), ("no scheme", "\(host)/login/device"),
            ("tab", "https://local\\thost/"),
        ].map { ($0, "\"\($1)\"") }
        return fields("{\"device_code\":\"d\",\"user_code\":\"AB-CD\",%}", "verification_uri", addresses)
            + fields("{\"device_code\":\"d\",%,\(page)}", "user_code", texts.filter { $0.0 != "a number" })
            + fields("{%,\"user_code\":\"AB-CD\",\(page)}", "device_code", texts)
            + [.body("no page at all", "{\"device_code\":\"d\",\"user_code\":\"AB-CD\"}")]
    }

    /// Answers of `/user` without a usable account name, which the host has in this member.
    package static func users(member: String) -> [HostileAnswer] {
        fields("{\"id\":1,%}", member, texts) + [
            .body("somebody else", "{\"\(member)\":\"mallory\"}"),
            .body("a list of users", "[{\"\(member)\":\"monalisa\"}]"),
        ]
    }
}
