extension HostileAnswer {
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
