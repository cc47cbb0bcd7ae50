import Glibc
import Synchronization

/// The service without its network: its apps, people, tokens and repositories, and the answer to every request.
final class Forge: Sendable {
    /// Everything that changes, behind one lock.
    struct State {
        var server: AuthorizationServer
        /// The repositories by `OWNER/NAME` in lower case, as the services compare them.
        var repositories: [String: Repository] = [:]
        /// The open pull requests by `OWNER/NAME`, oldest first.
        var pullRequests: [String: [StoredPullRequest]] = [:]
        var lfs: [String: LFSStore] = [:]
        var log: [(endpoint: Endpoint, request: Request)] = []
        var tunnels: [String] = []
        /// The answers that a test has prepared for coming requests; `remaining` is `nil` for all following ones.
        var script: [Endpoint: [(answer: ScriptedAnswer, remaining: Int?)]] = [:]
        /// The `WWW-Authenticate` header of 401 answers to git.
        var challenge: String
        var isBitbucket = false
        /// Whether git's endpoints accept Bearer tokens; the API always does.
        var takesBearer = false
        var reception = Reception.served
        /// Returns the owner of an access token from another issuer, or `nil` for an unknown token.
        var otherIssuer: (@Sendable (String) -> String?)?
        var secondsAhead = 0.0
        /// The `Proxy-Authorization` that the proxy requires; `nil` for none.
        var proxyLogin: String?

        init(_ service: Service) {
            server = AuthorizationServer(service: service)
            challenge =
                switch service {
                case .gitHub: "Basic realm=\"GitHub\""
                case .gitLab: "Basic realm=\"GitLab\""
                case .gitea: "Basic realm=\"Gitea\""
                }
        }

        /// Removes and returns the next prepared answer; genuine if there is none.
        mutating func nextAnswer(for endpoint: Endpoint) -> ScriptedAnswer {
            guard let line = script[endpoint]?.first else { return .genuine }
            guard let remaining = line.remaining else { return line.answer }
            if remaining > 1 { script[endpoint]?[0].remaining = remaining - 1 } else { script[endpoint]?.removeFirst() }
            return line.answer
        }
    }

    private let state: Mutex<State>
    let service: Service
    let clock: @Sendable () -> Double
    let files: GitFiles

    /// Makes an empty service; `clock` returns seconds since 1970.
    init(_ service: Service, files: GitFiles, clock: @escaping @Sendable () -> Double) {
        self.service = service
        state = Mutex(State(service))
        self.files = files
        self.clock = clock
    }

    /// Reads or changes the state under the lock; slow work inside would block other requests.
    func withState<Result: Sendable>(
        _ body: (inout sending State) throws -> sending Result
    ) rethrows -> sending Result { try state.withLock(body) }

    /// The valid token of `Authorization: Bearer`.
    func bearer(of request: Request) -> IssuedToken? { liveToken(request.bearerToken) }

    /// The record of an access token, if it is valid.
    func liveToken(_ accessToken: String?) -> IssuedToken? {
        let now = clock()
        return accessToken.flatMap { accessToken in withState { $0.server.liveToken(accessToken, now: now) } }
    }

    /// A repository that a token, or anybody, may read.
    func repository(_ slug: some StringProtocol, for token: IssuedToken?) -> Repository? {
        let name = slug.lowercased()
        return withState { $0.repositories[name] }.flatMap { $0.access(with: token, at: service) > .none ? $0 : nil }
    }

    /// Records a request, and answers it with the script's answer if there is one.
    func respond(to request: Request) -> ScriptedAnswer {
        let endpoint = Endpoint(request, to: service)
        let scripted = withState { state in
            state.log.append((endpoint, request))
            return state.nextAnswer(for: endpoint)
        }
        return scripted.resolved { dated(answer(request, at: endpoint), to: request) }
    }

    /// Records a tunnel that the proxy was asked for, and returns the refusal; `nil` opens the tunnel.
    func refusal(ofTunnel request: Request) -> Answer? {
        guard request.method == "CONNECT" else { return .text("this proxy knows CONNECT only\n", status: 405) }
        return withState { state in
            guard state.proxyLogin == nil || request.headers["proxy-authorization"] == state.proxyLogin else {
                return .proxyRefusal
            }
            state.tunnels.append(request.target)
            return nil
        }
    }

    /// Adds the `Date` header (RFC 9110, 6.6.1), and removes the body if the request was HEAD.
    private func dated(_ answer: Answer, to request: Request) -> Answer {
        var dated = answer
        // RFC 9110, 9.3.2: the client would take a body for the next answer.
        if request.method == "HEAD" { dated.body = [] }
        dated.headers.append(Header("Date", Self.date(clock() + withState { $0.secondsAhead })))
        return dated
    }

    /// A time, in seconds since 1970, as `Sun, 06 Nov 1994 08:49:37 GMT`; no test sets another locale than C.
    private static func date(_ seconds: Double) -> String {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 30)
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The answer that the service itself would give.
    private func answer(_ request: Request, at endpoint: Endpoint) -> Answer {
        switch endpoint {
        case .deviceCode, .poll, .exchange, .refresh: answerOAuth(request, at: endpoint)
        case .authorization: answerAuthorization(request)
        case .discovery: answerGiteaDiscovery(request)
        case .verification: answerVerification(request)
        case .user, .userInfo, .repository, .meta, .tokenInfo, .userInstallations, .userRepositories:
            switch service {
            case .gitHub: answerGitHubAPI(request, at: endpoint)
            case .gitLab: answerGitLabAPI(request, at: endpoint)
            case .gitea: answerGiteaAPI(request, at: endpoint)
            }
        case .pullRequests: answerPullRequests(request)
        case .revokeCredentials: revokeCredentials(request)
        case .revoke: answerGitLabRevocation(request)
        case .app, .installations, .installation, .installationToken: answerApp(request, at: endpoint)
        case .installationRepositories, .revokeInstallation: answerInstallation(request, at: endpoint)
        case .gitRefs, .gitFetch, .gitPush: answerGit(request, at: endpoint)
        case .lfs: answerLFS(request)
        case .goGet: answerGoGet(request)
        case .unknown: .html("<h1>Not Found</h1>", status: 404)
        }
    }

    /// An error in the form of the service's API.
    func failure(_ status: Int, _ message: String, headers: [Header] = []) -> Answer {
        var fields: Fields = ["message": .text(message)]
        if service == .gitHub { fields.append("documentation_url", "https://docs.github.com/rest") }
        if service == .gitHub { fields.append("status", .text(String(status))) }
        if service == .gitea { fields.append("url", "https://gitea.example/api/swagger") }
        return .json(fields, status: status, headers: headers)
    }

    /// Answers `go` with a module's repository, if the account sees it (https://go.dev/ref/mod#vcs-find).
    func answerGoGet(_ request: Request) -> Answer {
        let slug = request.path.dropFirst()
        guard repository(slug, for: liveToken(request.basicCredentials?.password)) != nil else {
            return .html("<h1>Not Found</h1>", status: 404)
        }
        let place = "\(request.host)/\(slug)"
        let meta = "<meta name=\"go-import\" content=\"\(place) git https://\(place)\">"
        return .text("<!DOCTYPE html>\n<html><head>\(meta)</head></html>\n", type: "text/html; charset=utf-8")
    }
}
