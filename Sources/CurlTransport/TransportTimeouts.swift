/// How long a request may take before it is given up.
package struct TransportTimeouts {
    /// From the name lookup to the end of the TLS handshake.
    package var connect: Duration
    /// From the start to the last byte of the answer.
    package var total: Duration
    /// Without a single byte in either direction; counted in whole seconds, 1 at least.
    package var silence: Duration

    /// Timeouts; the defaults are those that the `Transport` protocol promises.
    package init(
        connect: Duration = .seconds(10), total: Duration = .seconds(30), silence: Duration = .seconds(15)
    ) {
        self.connect = connect
        self.total = total
        self.silence = silence
    }
}

extension Duration {
    /// Whole milliseconds, rounded up: libcurl reads 0 as "no limit".
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        return Int(seconds * 1_000 + (attoseconds + perMillisecond - 1) / perMillisecond)
    }
}
