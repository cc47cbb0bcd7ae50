/// One try a minute for each host, whatever comes of it.
struct OncePerMinute {
    /// Milliseconds of uptime, by host.
    private var last: [[UInt8]: Int64] = [:]

    func allows(_ host: ShareTarget.Host, at now: Int64) -> Bool {
        last[host.name].map { now - $0 >= 60_000 } ?? true
    }

    mutating func note(_ host: ShareTarget.Host, at now: Int64) { last[host.name] = now }
}
