/// What a test tells the stand-in to do with a request instead of answering as GitHub would.
package struct ScriptedAnswer: Sendable {
    /// Where the bytes come from.
    enum Content: Sendable {
        /// The request is carried out, and answered as it always is.
        case genuine
        /// As `genuine`, with the body changed.
        case edited(@Sendable (String) -> String)
        case answer(Answer)
        /// Bytes that need not be HTTP.
        case raw([UInt8])
    }

    /// How much of the content is sent.
    enum Portion: Sendable {
        case whole
        case headAndHalfOfBody
        case nothing
    }

    /// What happens to the connection after the last byte.
    package enum Ending: Sendable {
        /// The next request is awaited.
        case keepAlive
        case close
        /// It is closed without the end that TLS has of its own.
        case cut
        /// It is reset.
        case reset
        /// Nothing more is sent, and the connection is left open.
        case hold
        /// These bytes are sent again and again until the client goes.
        case endless([UInt8])
    }

    var content: Content
    var portion = Portion.whole
    var ending = Ending.keepAlive
    /// Time between the end of the request and the first byte.
    var delay = Duration.zero
    /// Time between any two bytes; nil sends all at once.
    var drip: Duration?

    /// As GitHub answers, at once.
    package static let genuine = ScriptedAnswer(content: .genuine)

    /// As GitHub answers, with one thing changed in the body: `.edited { $0.replacing("bearer", with: "mac") }`.
    package static func edited(_ change: @escaping @Sendable (String) -> String) -> ScriptedAnswer {
        ScriptedAnswer(content: .edited(change))
    }

    /// Any answer, sent whole.
    package static func answer(_ answer: Answer) -> ScriptedAnswer {
        ScriptedAnswer(content: .answer(answer))
    }

    /// A status with a small web page, as a broken or overloaded server sends it.
    package static func status(_ status: Int, headers: [Header] = []) -> ScriptedAnswer {
        .answer(.html("<h1>\(status)</h1>", status: status, headers: headers))
    }

    /// An error of RFC 6749 section 5.2 or RFC 8628 section 3.5, as GitHub sends it: with status 200.
    package static func oauthError(_ code: String, status: Int = 200) -> ScriptedAnswer {
        .answer(.json(["error": .text(code), "error_description": ""], status: status))
    }

    /// A redirect of the given status.
    package static func redirect(to location: String, status: Int = 302) -> ScriptedAnswer {
        .status(status, headers: [Header("Location", location)])
    }

    /// The request is read, and nothing is ever answered.
    package static let silence = ScriptedAnswer(content: .raw([]), ending: .hold)

    /// The connection is closed without an answer; the request is not carried out.
    package static let hangUp = ScriptedAnswer(content: .raw([]), ending: .close)

    /// The request **is** carried out, but its answer never arrives: the case in which a rotated token is lost.
    package static let lost = ScriptedAnswer(content: .genuine, portion: .nothing, ending: .close)

    /// As GitHub answers, but late.
    package static func late(by delay: Duration) -> ScriptedAnswer {
        ScriptedAnswer(content: .genuine, delay: delay)
    }

    /// As GitHub answers, one byte at a time.
    package static func drip(every interval: Duration = .seconds(1)) -> ScriptedAnswer {
        ScriptedAnswer(content: .genuine, drip: interval)
    }

    /// The request is carried out; its answer stops in the middle of the body.
    package static let closedMidBody = ScriptedAnswer(
        content: .genuine, portion: .headAndHalfOfBody, ending: .close)

    /// A JSON string that never ends.
    package static let endlessBody = ScriptedAnswer(
        content: .answer(.text("{\"error\":\"", type: "application/json", framing: .untilClose)),
        ending: .endless(Array(repeating: UInt8(ascii: "a"), count: 16_384)))

    /// Header lines without end.
    package static let headerFlood = ScriptedAnswer(
        content: .raw(Array("HTTP/1.1 200 OK\r\n".utf8)),
        ending: .endless(
            Array(String(repeating: "X-Flood: \(String(repeating: "a", count: 1_000))\r\n", count: 16).utf8)))

    /// Bytes that need not be HTTP; then, by default, the connection is closed.
    package static func raw(_ text: String, then ending: Ending = .close) -> ScriptedAnswer {
        ScriptedAnswer(content: .raw(Array(text.utf8)), ending: ending)
    }
}
