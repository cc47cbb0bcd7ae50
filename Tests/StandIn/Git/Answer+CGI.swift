extension Answer {
    /// Parses the output of git's CGI program (RFC 3875, 6): headers, including `Status`, a blank line, the body.
    init?(cgiOutput output: [UInt8]) {
        guard let end = output.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        self.init(status: 200, body: Array(output[end.upperBound...]))
        for line in String(decoding: output[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let value = String(parts[1].drop { $0 == " " })
            if parts[0].lowercased() == "status" {
                status = Int(value.prefix { $0 != " " }) ?? 500
            } else {
                headers.append(Header(String(parts[0]), value))
            }
        }
    }
}
