extension Connection {
    /// Answers requests, one after the other, until one side ends the connection.
    /// - Parameters:
    ///   - tunnel: `HOST:PORT` that the proxy was asked for, if the client came through it.
    ///   - clock: Seconds since 1970.
    ///   - respond: Answers a request; may wait, for a git process or for a test.
    consuming func serve(
        tunnel: String? = nil, clock: () -> Double = StandIn.systemClock, respond: (Request) -> ScriptedAnswer
    ) {
        do throws(StandInError) {
            while let request = try Request(from: &self, tunnel: tunnel, clock: clock) {
                let isLast = request.headers["connection"]?.lowercased() == "close"
                let answer = respond(request)
                guard try send(answer), !isLast else {
                    switch answer.ending {
                    case .cut: return
                    case .reset: return reset()
                    case .keepAlive, .close, .hold, .endless: return close()
                    }
                }
            }
        } catch {
            // Who has gone does not hear it.
            try? write(Answer.text("\(error)\n", status: 400, framing: .untilClose).bytes)
        }
        close()
    }

    /// Answers a proxy's first request.
    /// - Parameter refuse: What to answer instead of opening the tunnel; nil opens it.
    /// - Returns: `HOST:PORT` that was asked for; nil if there is no tunnel.
    mutating func openTunnel(_ refuse: (Request) -> Answer?) -> String? {
        do throws(StandInError) {
            guard let request = try Request(from: &self, tunnel: nil, clock: { 0 }) else { return nil }
            guard var refusal = refuse(request) else {
                try write(Array("HTTP/1.1 200 Connection established\r\nVia: 1.1 stand-in\r\n\r\n".utf8))
                return request.target
            }
            refusal.framing = .untilClose
            try write(refusal.bytes)
        } catch {}
        return nil
    }

    /// Answers a SOCKS 5 proxy's first requests: no authentication, and an IPv4 address (RFC 1928).
    /// - Returns: `HOST:PORT` that was asked for.
    /// - Throws: `StandInError` if the client leaves before that.
    mutating func openSOCKSTunnel() throws(StandInError) -> String {
        let methods = try read(2).last ?? 0
        _ = try read(Int(methods))
        try write([5, 0])
        let target = Array(try read(10).dropFirst(4))
        try write([5, 0, 0, 1] + [UInt8](repeating: 0, count: 6))
        return "\(target[0]).\(target[1]).\(target[2]).\(target[3]):\(Int(target[4]) << 8 | Int(target[5]))"
    }

    /// Sends an answer and does what is to be done after it; false if no other request is to be read.
    private func send(_ answer: ScriptedAnswer) throws(StandInError) -> Bool {
        guard stays(for: answer.delay) else { return false }
        if let interval = answer.drip {
            for byte in answer.bytes {
                try write([byte])
                guard stays(for: interval) else { return false }
            }
        } else {
            try write(answer.bytes)
        }
        switch answer.ending {
        case .keepAlive: return answer.hasLength
        case .close, .cut, .reset: return false
        case .hold: return stays(for: nil)
        case .endless(let chunk):
            // Fast enough to break any limit, slow enough to leave the machine to the tests beside this one.
            repeat { try write(chunk) } while stays(for: .milliseconds(5))
            return false
        }
    }
}
