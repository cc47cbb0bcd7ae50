internal import CredentialCore
package import Providers

extension HTTPResponse {
    package static func json(_ text: String, status: Int = 200, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, body: Secret(text.utf8),
            headers: [("content-type", Array("application/json; charset=utf-8".utf8))]
                + headers.map { ($0.0, Array($0.1.utf8)) })
    }

    /// Returns a web page, as proxies and load balancers send it.
    package static func page(status: Int, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, body: Secret("<!DOCTYPE html><title>Unicorn!</title>".utf8),
            headers: [("content-type", Array("text/html".utf8))] + headers.map { ($0.0, Array($0.1.utf8)) })
    }
}
