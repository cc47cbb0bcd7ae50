import FoundationEssentials

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

    /// The value of an `Authorization` header with one of these schemes.
    private func authorization(_ schemes: String...) -> String? {
        guard let parts = headers["authorization"]?.split(separator: " ", maxSplits: 1), parts.count == 2,
            schemes.contains(parts[0].lowercased())
        else { return nil }
        return String(parts[1])
    }

    /// The credentials of a well-formed `Authorization: Basic` header (RFC 7617).
    package var basicCredentials: (user: String, password: String)? {
        guard let data = authorization("basic").flatMap({ Data(base64Encoded: $0) }) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }

    /// The token of `Authorization: Bearer`, or of GitHub's older scheme `token`.
    package var bearerToken: String? { authorization("bearer", "token") }

    /// The path below the service's API, `nil` for other paths; on `api.` hosts of GitHub, it is the whole path.
    func apiPath(of service: Service) -> String? {
        if service == .gitHub, host.hasPrefix("api.") { return path }
        return path.hasPrefix(service.apiPrefix + "/") ? String(path.dropFirst(service.apiPrefix.count)) : nil
    }

    /// The parts of the path below the service's API.
    func apiParts(of service: Service) -> [Substring] { (apiPath(of: service) ?? "").split(separator: "/") }
}
