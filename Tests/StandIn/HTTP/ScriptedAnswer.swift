/// A test's instruction for a request, instead of the service's own answer.
package struct ScriptedAnswer: Sendable {
    enum Content: Sendable {
        /// Carries out the request, and sends the service's answer.
        case genuine
        /// Carries out the request, and sends the answer with its body changed.
        case edited(@Sendable (String) -> String)
        case answer(Answer)
        case raw([UInt8])
    }

    enum Portion { case whole, headAndHalfOfBody, nothing }

    /// The state of the connection after the last byte.
    package enum Ending: Sendable {
        case keepAlive, close
        /// Closes it without TLS's own `close_notify`.
        case cut
        case reset
        /// Leaves it open, and sends nothing more.
        case hold
        /// Sends these bytes repeatedly until the client closes the connection.
        case endless([UInt8])
    }

    var content: Content
    var portion = Portion.whole
    var ending = Ending.keepAlive
    /// The time between the end of the request and the first byte.
    var delay = Duration.zero
    /// The time between two bytes; `nil` sends all at once.
    var drip: Duration?
    package static let genuine = ScriptedAnswer(content: .genuine)

    /// The service's answer with a changed body: `.edited { $0.replacing("bearer", with: "mac") }`.
    package static func edited(_ change: @escaping @Sendable (String) -> String) -> ScriptedAnswer {
        ScriptedAnswer(content: .edited(change))
    }

    package static func answer(_ answer: Answer) -> ScriptedAnswer { ScriptedAnswer(content: .answer(answer)) }

    /// A status with a small web page, as a broken or overloaded server sends it.
    package static func status(_ status: Int, headers: [Header] = []) -> ScriptedAnswer {
        .answer(.html("<h1>\(status)</h1>", status: status, headers: headers))
    }

    /// An error of RFC 6749, 5.2, or RFC 8628, 3.5, as GitHub sends it: with status 200.
    package static func oauthError(_ code: String, status: Int = 200) -> ScriptedAnswer {
        .answer(.json(["error": .text(code), "error_description": ""], status: status))
    }

    package static func redirect(to location: String, status: Int = 302) -> ScriptedAnswer {
        .status(status, headers: [Header("Location", location)])
    }

    package static let silence = ScriptedAnswer(content: .raw([]), ending: .hold)
    /// Closes the connection without an answer; the request is not carried out.
    package static let hangUp = ScriptedAnswer(content: .raw([]), ending: .close)
    /// Carries out the request, but the answer never arrives: a rotated token is lost.
    package static let lost = ScriptedAnswer(content: .genuine, portion: .nothing, ending: .close)
    package static func late(by delay: Duration) -> ScriptedAnswer { ScriptedAnswer(content: .genuine, delay: delay) }

    /// The service's answer, byte by byte.
    package static func drip(every interval: Duration = .seconds(1)) -> ScriptedAnswer {
        ScriptedAnswer(content: .genuine, drip: interval)
    }

    /// Carries out the request, and closes the connection in the middle of the body.
    package static let closedMidBody = ScriptedAnswer(content: .genuine, portion: .headAndHalfOfBody, ending: .close)

    package static let endlessBody = ScriptedAnswer(
        content: .answer(.text("{\"error\":\"", type: "application/json", hasLength: false)),
        ending: .endless(Array(repeating: UInt8(ascii: "a"), count: 16_384)))

    package static let headerFlood = ScriptedAnswer(
        content: .raw(Array("HTTP/1.1 200 OK\r\n".utf8)),
        ending: .endless(
            Array(String(repeating: "X-Flood: \(String(repeating: "a", count: 1_000))\r\n", count: 16).utf8)))

    /// Bytes that need not be HTTP; then closes the connection by default.
    package static func raw(_ text: String, then ending: Ending = .close) -> ScriptedAnswer {
        ScriptedAnswer(content: .raw(Array(text.utf8)), ending: ending)
    }

    /// The bytes to send; a genuine answer must be resolved first.
    var bytes: [UInt8] {
        switch (content, portion) {
        case (_, .nothing), (.genuine, _), (.edited, _): []
        case (.raw(let bytes), _): bytes
        case (.answer(let answer), .whole): answer.bytes
        case (.answer(let answer), .headAndHalfOfBody): answer.headBytes + answer.body.prefix(answer.body.count / 2)
        }
    }

    /// A copy with the genuine answer filled in, which `carryOut` makes if it is needed.
    func resolved(by carryOut: () -> Answer) -> ScriptedAnswer {
        var resolved = self
        switch content {
        case .genuine: resolved.content = .answer(carryOut())
        case .edited(let change):
            var answer = carryOut()
            answer.body = Array(change(String(decoding: answer.body, as: UTF8.self)).utf8)
            resolved.content = .answer(answer)
        case .answer, .raw: break
        }
        return resolved
    }

    /// Whether the client can find the end of the body before the connection ends.
    var hasLength: Bool { if case .answer(let answer) = content { answer.hasLength } else { true } }
}
