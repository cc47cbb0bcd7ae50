internal import CredentialCore
internal import Messages
package import OAuth

extension RefreshRequest.Outcome {
    /// The result, for the trace.
    package var outline: String {
        switch self {
        case .renewed(let response):
            "renewed" + (response.expiresIn.map { ", for \($0) s" } ?? ", and does not expire")
        case .failed(let error): "not renewed: \(error)"
        case .unavailable(let status): "not renewed: status \(status)"
        case .spent(let code): "the refresh token is spent: \(code)"
        case .refused(let code): "the server refuses to renew it: \(code)"
        }
    }
}
