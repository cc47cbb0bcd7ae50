extension Connection {
    /// Answers requests one after the other until either side closes the connection.
    consuming func serve(respond: (Request) -> ScriptedAnswer) {
        do throws(StandInError) {
            while let request = try Request(from: &self) {
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
            // A client that has closed the connection misses this answer.
            try? write(Answer.text("\(error)\n", status: 400, hasLength: false).bytes)
        }
        close()
    }

    /// Answers the first request to the proxy.
    /// - Parameter refuse: Returns the answer that refuses the tunnel, or `nil` to open it.
    /// - Returns: The requested `HOST:PORT`; `nil` if there is no tunnel.
    mutating func openTunnel(_ refuse: (Request) -> Answer?) -> String? {
        do throws(StandInError) {
            guard let request = try Request(from: &self) else { return nil }
            guard var refusal = refuse(request) else {
                try write(Array("HTTP/1.1 200 Connection established\r\nVia: 1.1 stand-in\r\n\r\n".utf8))
                return request.target
            }
            refusal.hasLength = false
            try write(refusal.bytes)
        } catch {}
        return nil
    }

    /// Answers the first messages of a SOCKS 5 client: no authentication, and an IPv4 address (RFC 1928).
    mutating func openSOCKSTunnel() throws(StandInError) -> String {
        let methods = try read(2).last ?? 0
        _ = try read(Int(methods))
        try write([5, 0])
        let target = Array(try read(10).dropFirst(4))
        try write([5, 0, 0, 1] + [UInt8](repeating: 0, count: 6))
        return "\(target[0]).\(target[1]).\(target[2]).\(target[3]):\(Int(target[4]) << 8 | Int(target[5]))"
    }

    /// Sends an answer and ends the connection as scripted; returns whether another request may follow.
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
            // 5 ms between chunks: fast enough to exceed any limit, slow enough not to disturb other tests.
            repeat { try write(chunk) } while stays(for: .milliseconds(5))
            return false
        }
    }
}
