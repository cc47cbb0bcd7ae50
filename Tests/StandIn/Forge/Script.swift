/// The answers that a test has prepared for coming requests.
struct Script {
    private var lines: [Endpoint: [(answer: ScriptedAnswer, remaining: Int?)]] = [:]

    /// Queues an answer for the next `times` requests; `nil` for all following ones.
    mutating func add(_ answer: ScriptedAnswer, for endpoint: Endpoint, times: Int?) {
        lines[endpoint, default: []].append((answer: answer, remaining: times))
    }

    /// Removes the queued answers of one endpoint, or of all if that is `nil`.
    mutating func clear(_ endpoint: Endpoint?) { if let endpoint { lines[endpoint] = nil } else { lines = [:] } }

    /// Removes and returns the next answer; genuine if the queue is empty.
    mutating func next(for endpoint: Endpoint) -> ScriptedAnswer {
        guard let line = lines[endpoint]?.first else { return .genuine }
        if let remaining = line.remaining {
            if remaining > 1 { lines[endpoint]?[0].remaining = remaining - 1 } else { lines[endpoint]?.removeFirst() }
        }
        return line.answer
    }
}
