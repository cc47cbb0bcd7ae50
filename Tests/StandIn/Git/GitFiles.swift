/// The bare repositories on disk, and the git programs that work on them.
struct GitFiles: Sendable {
    /// The folder of the repositories, `OWNER/NAME.git` (`GIT_PROJECT_ROOT`).
    let root: String
    private let httpBackend: String

    /// Ignores all configuration, allows pushes, and turns off background work.
    private var environment: [String: String] {
        [
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": root, "GIT_PROJECT_ROOT": root,
            "GIT_HTTP_EXPORT_ALL": "1", "GIT_AUTHOR_NAME": "Mona Lisa", "GIT_COMMITTER_NAME": "Mona Lisa",
            "GIT_AUTHOR_EMAIL": Self.email, "GIT_COMMITTER_EMAIL": Self.email, "GIT_CONFIG_COUNT": "3",
            "GIT_CONFIG_KEY_0": "http.receivepack", "GIT_CONFIG_VALUE_0": "true",
            "GIT_CONFIG_KEY_1": "receive.autogc", "GIT_CONFIG_VALUE_1": "false",
            "GIT_CONFIG_KEY_2": "gc.auto", "GIT_CONFIG_VALUE_2": "0",
        ]
    }

    private static let email = "monalisa@users.noreply.github.com"

    /// Finds git; the repositories will be in `folder`.
    init(in folder: TemporaryFolder) throws(StandInError) {
        let result = try ChildProcess.run(["git", "--exec-path"])
        httpBackend = result.outputText.prefix { $0 != "\n" } + "/git-http-backend"
        root = folder.path + "/repositories"
    }

    func path(_ slug: String) -> String { "\(root)/\(slug).git" }

    /// Makes a bare repository whose branch `main` has one commit with these files (name to text).
    func create(_ slug: String, files: [String: String], objectFormat: String) throws(StandInError) {
        try git([
            "init", "--quiet", "--bare", "--initial-branch=main", "--template=", "--object-format=\(objectFormat)",
            path(slug),
        ])
        var stream = """
            commit refs/heads/main
            committer Mona Lisa <\(Self.email)> 1700000000 +0000
            data 13
            First commit


            """
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            stream += "M 100644 inline \(name)\ndata \(text.utf8.count)\n\(text)\n"
        }
        try git(["-C", path(slug), "fast-import", "--quiet"], input: Array(stream.utf8))
    }

    @discardableResult
    func git(_ arguments: [String], input: [UInt8] = []) throws(StandInError) -> String {
        let result = try ChildProcess.run(["git"] + arguments, environment: environment, input: input)
        guard result.status == 0 else {
            let errors = result.errorText
            throw StandInError("git \(arguments.joined(separator: " ")) failed: \(errors)")
        }
        return result.outputText
    }

    /// Answers a request by `git http-backend` (CGI, RFC 3875).
    func serve(_ request: Request, slug: String, service: String, login: String?) throws(StandInError) -> Answer {
        var environment = environment
        environment["REQUEST_METHOD"] = request.method
        environment["PATH_INFO"] = "/\(slug).git\(service)"
        environment["QUERY_STRING"] = request.queryText
        environment["CONTENT_LENGTH"] = String(request.body.count)
        environment["CONTENT_TYPE"] = request.headers["content-type"] ?? ""
        environment["HTTP_CONTENT_ENCODING"] = request.headers["content-encoding"] ?? ""
        environment["GIT_PROTOCOL"] = request.headers["git-protocol"] ?? ""
        environment["REMOTE_ADDR"] = "127.0.0.1"
        environment["REMOTE_USER"] = login ?? ""
        let result = try ChildProcess.run([httpBackend], environment: environment, input: request.body)
        guard result.status == 0, let answer = Answer(cgiOutput: result.output) else {
            throw StandInError("git http-backend failed: \(result.errorText)")
        }
        return answer
    }
}
