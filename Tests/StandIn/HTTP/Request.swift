/// A request as it arrived: what tests look at, and what the routes work on.
package struct Request: Sendable {
    package let method: String
    /// Path and query exactly as sent.
    package let target: String
    package let headers: [Header]
    /// The body after transfer coding was removed, content coding untouched.
    package let body: [UInt8]
    /// Seconds since 1970, by the stand-in's clock, at which the request was complete.
    package let time: Double
    /// `HOST:PORT` that the client asked the CONNECT proxy for; nil if it came straight to the stand-in.
    package let tunnel: String?

    /// The host header as sent, with the port if there is one.
    package var host: String { headers["host"] ?? "" }

    /// Path of the target, not percent-decoded.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The part of the target after the question mark, empty if there is none.
    package var queryText: String { String(target.drop { $0 != "?" }.dropFirst()) }

    /// The query, decoded.
    package var query: [String: String] { FormCoding.decode(queryText) }

    /// The body as text.
    package var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The body as a form, decoded; empty for other content types.
    package var form: [String: String] {
        guard headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true else { return [:] }
        return FormCoding.decode(bodyText)
    }

    /// The credentials of an `Authorization: Basic` header, if there is a well-formed one.
    package var basicCredentials: BasicCredentials? {
        BasicCredentials(authorization: headers["authorization"])
    }

    /// The token of an `Authorization: Bearer` header, or of GitHub's older spelling `token`.
    package var bearerToken: String? {
        guard let parts = headers["authorization"]?.split(separator: " ", maxSplits: 1), parts.count == 2,
            ["bearer", "token"].contains(parts[0].lowercased())
        else { return nil }
        return String(parts[1])
    }

    /// The path below GitHub's REST API: all of it on `api.` hosts, what follows `/api/v3` elsewhere, else nil.
    var apiPath: String? {
        if host.hasPrefix("api.") { return path }
        let prefix = "/api/v3"
        return path.hasPrefix(prefix + "/") ? String(path.dropFirst(prefix.count)) : nil
    }
}
