extension ScriptedAnswer {
    /// Reads the parameters of the command `/script`.
    /// - Parameters:
    ///   - parameters: `answer` names the kind; `status`, `to`, `error`, `find`, `replace` and `seconds` belong to some of them.
    ///   - body: What `raw` sends.
    /// - Throws: `StandInError` if there is no such kind.
    init(_ parameters: [String: String], body: String) throws {
        let seconds = Duration.seconds(parameters["seconds"].flatMap { Double($0) } ?? 1)
        let status = parameters["status"].flatMap { Int($0) }
        switch parameters["answer"] {
        case "status": self = .status(status ?? 500)
        case "oauth-error": self = .oauthError(parameters["error"] ?? "", status: status ?? 200)
        case "redirect": self = .redirect(to: parameters["to"] ?? "/", status: status ?? 302)
        case "silence": self = .silence
        case "hang-up": self = .hangUp
        case "lost": self = .lost
        case "late": self = .late(by: seconds)
        case "drip": self = .drip(every: seconds)
        case "edited":
            let (find, replacement) = (parameters["find"] ?? "", parameters["replace"] ?? "")
            self = .edited { $0.replacing(find, with: replacement) }
        case "stalled-mid-body": self = .stalledMidBody
        case "closed-mid-body": self = .closedMidBody
        case "endless-body": self = .endlessBody
        case "header-flood": self = .headerFlood
        case "raw": self = .raw(body)
        default: throw StandInError("no answer of this kind: \(parameters["answer"] ?? "")")
        }
    }
}

extension App {
    /// Reads the parameters of the command `/app`: `client_id`, and perhaps `kind=github` or `gitlab`, `interval`, `lifetime`
    /// (seconds of an access token; 0: for ever), `secret`, `device_flow=0`.
    init(_ parameters: [String: String]) throws {
        guard let clientID = parameters["client_id"] else { throw StandInError("parameter client_id is missing") }
        self =
            switch parameters["kind"] {
            case "github": .gitHubApp(clientID: clientID)
            case "gitlab": .gitLabApplication(clientID: clientID)
            default: .oauthApp(clientID: clientID)
            }
        if let interval = parameters["interval"].flatMap({ Double($0) }) { self.interval = interval }
        if let seconds = parameters["lifetime"].flatMap({ Double($0) }) {
            lifetime = seconds > 0 ? TokenLifetime(access: seconds) : nil
        }
        secret = parameters["secret"]
        allowsDeviceFlow = parameters["device_flow"] != "0"
    }
}
