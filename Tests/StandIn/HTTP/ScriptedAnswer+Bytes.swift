extension ScriptedAnswer {
    /// What goes onto the wire; a genuine answer must have been put in its place before.
    var bytes: [UInt8] {
        switch (content, portion) {
        case (_, .nothing), (.genuine, _), (.edited, _): []
        case (.raw(let bytes), _): bytes
        case (.answer(let answer), .whole): answer.bytes
        case (.answer(let answer), .headAndHalfOfBody): answer.headBytes + answer.body.prefix(answer.body.count / 2)
        }
    }

    /// The same script with its genuine answer, if it asks for that, made by `carryOut`.
    func resolved(by carryOut: () -> Answer) -> ScriptedAnswer {
        var resolved = self
        switch content {
        case .genuine:
            resolved.content = .answer(carryOut())
        case .edited(let change):
            var answer = carryOut()
            answer.body = Array(change(String(decoding: answer.body, as: UTF8.self)).utf8)
            resolved.content = .answer(answer)
        case .answer, .raw:
            break
        }
        return resolved
    }

    /// An answer that has no length can end only with its connection.
    var hasLength: Bool {
        if case .answer(let answer) = content { answer.framing == .contentLength } else { true }
    }
}
