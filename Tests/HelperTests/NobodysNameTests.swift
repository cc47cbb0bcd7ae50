import TestSupport
import Testing

/// The user name in a URL need not be an account: the author of the URL chose it.
@Suite("User names that are no account")
struct NobodysNameTests: HelperSuite {
    let helper = HelperFixture()

    init() {
        doubles.builtInGitLabClientID = "built-in"
        doubles.configure("credential", "https://git.example", ["provider": "oidc", "oauthClientId": "client"])
    }

    private static let order = "enter the code WXYZ-1234 first"
    private var lastLines: [String] { doubles.errors.last.map { [$0.text.english] + $0.hints.map(\.english) } ?? [] }

    @Test(
        "starts no sign-in, and reports that the name is no account",
        arguments: [("github.com", "GIT"), ("gitlab.com", "oauth2"), ("git.example", "git")])
    func reserved(host: String, name: String) throws {
        #expect(try get(as: name, host: host) == "quit=1\n" && requests.isEmpty && prompts.isEmpty)
        #expect(lastLines.first == "\(name) is not an account on \(host)")
        #expect(!lastLines.contains { $0.contains("login") || $0.contains("\(name)@") }, "\(lastLines)")
    }

    @Test(
        "starts no sign-in for a name that the host cannot have, and prints it in no text",
        arguments: [("github.com", "me@corp"), ("gitlab.com", order), ("git.example", "a:b")])
    func impossible(host: String, name: String) throws {
        for isHere in [true, false] {
            doubles.ui.canBeReached = isHere
            #expect(try get(as: name, host: host) == (isHere ? "quit=1\n" : ""))
            #expect(requests.isEmpty && prompts.isEmpty)
            #expect(lastLines.first == "no account on \(host) can have the user name that was asked for")
            #expect(
                !lastLines.contains { $0.contains(name) || $0.contains("WXYZ") || $0.contains("login") }, "\(lastLines)"
            )
        }
    }

    @Test("lets git ask a program, and suggests no sign-in, if sign-ins are turned off")
    func nobodyHere() throws {
        doubles.environment["CI"] = "1"
        doubles.environment["GIT_ASKPASS"] = "/bin/askpass"
        #expect(try get(as: "x-access-token").isEmpty)
        #expect(lastLines.first == "x-access-token is not an account on github.com")
        doubles.environment["GIT_ASKPASS"] = nil
        // git's own prompt would wait for a person.
        #expect(try get(as: "x-access-token") == "quit=1\n")
    }

    @Test("returns a token that is stored under such a name", arguments: ["git", "x-access-token", "me@corp"])
    func stored(name: String) throws {
        helper.brought("ghp_1", user: name)
        #expect(try get(as: name) == "username=\(name)\npassword=ghp_1\n")
    }

    @Test("starts a sign-in at an OpenID server for a name with an at sign or a backslash")
    func openID() throws {
        doubles.transport.otherwise = .page(status: 500)
        for name in ["me@corp.example", "o'brien@corp.example", "CORP\\me"] {
            let before = requests.count
            _ = try get(as: name, host: "git.example")
            #expect(requests.count > before, "\(name)")
        }
        // Our texts do not contain every character.
        doubles.ui.canBeReached = false
        _ = try get(as: "CORP\\me", host: "git.example")
        #expect(lastLines.first == "not signed in to git.example, and there is no terminal or desktop to sign in from")
    }

    // MARK: Where it stands

    @Test(
        "suggests the corrected address for the place where it is set, as a command that can be pasted",
        arguments: [
            (AskingRepository.Location.folder(nil), "git remote set-url up https://github.com/acme/private.git"),
            (.folder("/src/a b"), "git -C '/src/a b' remote set-url up https://github.com/acme/private.git"),
            (.clone, "git clone https://github.com/acme/private.git"),
            (.submodule, "https://github.com/acme/private.git"),
        ])
    func address(place: AskingRepository.Location, command: String) throws {
        let remotes = [
            ("origin", "https://monalisa@github.com/acme/private.git"),
            ("other", "https://me%40corp@gitlab.com/acme/x"), ("plain", "http://me%40corp@github.com/acme/x"),
            ("up", "https://me%40corp:pw@GitHub.com/acme/private.git"),
        ]
        doubles.askingRepository = AskingRepository(place, remotes: remotes.map { (name: $0.0, address: $0.1) })
        _ = try get(as: "me@corp")
        #expect(lastLines.last?.lowercased() == "  " + command.lowercased(), "\(lastLines)")
        _ = try get(as: "me@corp", path: "acme/private.git")
        #expect(lastLines.last?.lowercased() == "  " + command.lowercased(), "\(lastLines)")
    }

    @Test("suggests an address in capitals without a matching remote, or with the path from git")
    func unknownAddress() throws {
        doubles.askingRepository = AskingRepository(remotes: [
            (name: "a;b", address: "https://git@github.com/acme/$(id)")
        ])
        _ = try get(as: "git")
        #expect(lastLines.last == "  git remote set-url 'a;b' https://github.com/OWNER/REPOSITORY")
        _ = try get(as: "git", path: "acme/x.git")
        #expect(lastLines.last == "  git remote set-url origin https://github.com/acme/x.git")
    }

    @Test("names the line of git's configuration to remove, unless the address has the name too")
    func configured() throws {
        for url in [nil, "https://github.com", "https://github.com/acme"] as [String?] {
            doubles.configuration = []
            doubles.configure("credential", url, "username", "me@corp")
            _ = try get(as: "me@corp")
            let key = url.map { "credential.\($0).username" } ?? "credential.username"
            #expect(lastLines.last == "  git config --global --unset-all \(key)")
            #expect(!lastLines.contains { $0.contains("me@corp") })
        }
        doubles.askingRepository = AskingRepository(remotes: [
            (name: "origin", address: "https://me%40corp@github.com/acme/x")
        ])
        _ = try get(as: "me@corp")
        #expect(lastLines.last == "  git remote set-url origin https://github.com/acme/x")
        doubles.configure("credential", "https://github.com", "username", "hubot")
        doubles.askingRepository = AskingRepository()
        _ = try get(as: "git")
        #expect(lastLines.last?.hasPrefix("  git remote set-url ") == true)
    }

    @Test("returns the app's token for its own user name, and for no other name")
    func app() throws {
        doubles.configure("credential", "https://github.com", ["githubAppId": "12", "githubAppKey": "/key.pem"])
        #expect(try get(as: "git") == "quit=1\n")
        #expect(lastLines.first == "git is not an account on github.com" && requests.isEmpty)
        doubles.transport.fail(.unreachable)
        _ = try get(as: "X-Access-Token")
        #expect(requests.count == 1)
    }

    // MARK: Verbs

    @Test("login refuses the name at once, and check the address, without a request", arguments: ["git", "me@corp"])
    func login(name: String) throws {
        for words in [["login", "github.com", "--username", name], ["setup", "https://\(name)@github.com/acme/x"]] {
            #expect(try verb.run(words).status == .failed && requests.isEmpty && prompts.isEmpty)
            #expect(lastLines.last == "  git credential-gitspace login github.com")
            #expect(!lastLines.contains { $0.contains("me@corp") }, "\(lastLines)")
        }
        helper.stored(expiresIn: nil)
        let finding = try verb.check("https://\(name)@github.com/acme/x.git")
        #expect(finding["username"] == nil && requests.isEmpty)
        #expect(finding["text"]?.contains("on github.com") == true && finding["text"]?.contains("me@") == false)
        #expect(finding.hints.last == "  git clone https://github.com/acme/x.git", "\(finding.hints)")
    }

    @Test("prints no name that the host cannot have, in any verb")
    func verbs() throws {
        helper.stored(expiresIn: nil)
        doubles.requester = .person
        for words in [
            ["refresh", "github.com", "--username", Self.order], ["logout", "github.com", "--username", Self.order],
            ["switch", "github.com", Self.order],
        ] {
            #expect(try verb.run(words).status == .failed)
            #expect(lastLines.first == "no account of that name is stored for github.com")
            #expect(!lastLines.contains { $0.contains("WXYZ") }, "\(lastLines)")
        }
        try helper.run(.erase, "protocol=https\nhost=github.com\nusername=\(Self.order)")
        #expect(notices == [.nothingMatched(host: "github.com", account: .another)])
    }

    @Test("prints no such name after a rejected token or a failed refresh")
    func rejected() throws {
        helper.brought("stored", expiresIn: -10, refreshToken: "ghr", user: Self.order)
        respond(GitHubAnswers.badRefreshToken)
        doubles.ui.canBeReached = false
        _ = try get(as: Self.order)
        #expect(doubles.errors.count == 1 && !lastLines.contains { $0.contains("WXYZ") }, "\(lastLines)")
        helper.brought("stored", user: Self.order)
        try helper.run(.erase, "protocol=https\nhost=github.com\nusername=\(Self.order)\npassword=stored")
        #expect(!notices.contains { "\($0)".contains("WXYZ") }, "\(notices)")
        #expect(notices.count == 2 && doubles.keyring.items.isEmpty)
    }
}
