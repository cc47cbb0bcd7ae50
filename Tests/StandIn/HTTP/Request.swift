/// A request as received.
package struct Request: Sendable {
    package let method: String
    /// The path and query exactly as sent.
    package let target: String
    package let headers: [Header]
    /// The body without transfer coding; content coding is kept.
    package let body: [UInt8]
    /// The time at which the request was complete, in seconds since 1970 by the stand-in's clock.
    package let time: Double
    /// `HOST:PORT` of the client's CONNECT request; `nil` without the proxy.
    package let tunnel: String?

    /// The host header as sent, including a port.
    package var host: String { headers["host"] ?? "" }

    /// The path of the target, still percent-encoded.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The query as sent; empty if there is none.
    package var queryText: String { String(target.drop { $0 != "?" }.dropFirst()) }

    package var query: [String: String] { FormCoding.decode(queryText) }

    package var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The fields of a form; empty for other content types.
    package var form: [String: String] {
        guard headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true else { return [:] }
        return FormCoding.decode(bodyText)
    }

    /// The credentials of a well-formed `Authorization: Basic` header.
    package var basicCredentials: BasicCredentials? { BasicCredentials(authorization: headers["authorization"]) }

    /// The token of `Authorization: Bearer`, or of GitHub's older scheme `token`.
    package var bearerToken: String? {
        guard let parts = headers["authorization"]?.split(separator: " ", maxSplits: 1), parts.count == 2,
            ["bearer", "token"].contains(parts[0].lowercased())
        else { return nil }
        return String(parts[1])
    }

    /// The path below GitHub's REST API: the whole path on `api.` hosts, the part after `/api/v3` elsewhere; `nil` for
    /// other paths.
    var apiPath: String? {
        if host.hasPrefix("api.") { return path }
        let prefix = "/api/v3"
        return path.hasPrefix(prefix + "/") ? String(path.dropFirst(prefix.count)) : nil
    }
}
