extension ScriptedAnswer {
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
    var hasLength: Bool { if case .answer(let answer) = content { answer.framing == .contentLength } else { true } }
}
