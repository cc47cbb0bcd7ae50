extension Answer {
    /// Parses the output of a CGI program (RFC 3875, 6): headers, including `Status`, a blank line, the body.
    init?(cgiOutput output: [UInt8]) {
        let lineFeed = UInt8(ascii: "\n")
        let carriageReturn = UInt8(ascii: "\r")
        var headers: [Header] = []
        var status = 200
        var rest = output[...]
        while let end = rest.firstIndex(of: lineFeed) {
            let line = String(decoding: rest[..<end].filter { $0 != carriageReturn }, as: UTF8.self)
            rest = rest[(end + 1)...]
            if line.isEmpty {
                self.init(status: status, headers: headers, body: Array(rest))
                return
            }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let value = String(parts[1].drop { $0 == " " })
            if parts[0].lowercased() == "status" {
                status = Int(value.prefix { $0 != " " }) ?? 500
            } else {
                headers.append(Header(String(parts[0]), value))
            }
        }
        return nil
    }
}
