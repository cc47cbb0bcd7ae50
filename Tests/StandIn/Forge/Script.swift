/// The answers that tests have laid down for the requests to come.
struct Script {
    private var lines: [Endpoint: [(answer: ScriptedAnswer, remaining: Int?)]] = [:]

    /// Lays down an answer for the next `times` requests, behind those laid down before; nil: for ever.
    mutating func add(_ answer: ScriptedAnswer, for endpoint: Endpoint, times: Int?) {
        lines[endpoint, default: []].append((answer: answer, remaining: times))
    }

    /// Forgets the answers laid down for one endpoint, or for all.
    mutating func clear(_ endpoint: Endpoint?) {
        if let endpoint { lines[endpoint] = nil } else { lines = [:] }
    }

    /// Takes the answer for the next request; genuine where nothing was laid down.
    mutating func next(for endpoint: Endpoint) -> ScriptedAnswer {
        guard let line = lines[endpoint]?.first else { return .genuine }
        if let remaining = line.remaining {
            if remaining > 1 { lines[endpoint]?[0].remaining = remaining - 1 } else { lines[endpoint]?.removeFirst() }
        }
        return line.answer
    }
}
