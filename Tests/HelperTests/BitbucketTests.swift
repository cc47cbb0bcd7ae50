import TestSupport
import Testing

@Suite("Bitbucket: a token that only git's own protocol can try")
struct BitbucketTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }
    private static let repository = "A private repository on bitbucket.org to try the token with (Enter for none): "
    private static let known = "A private repository on bitbucket.org to try the token with [acme/widgets]: "
    private static let permissions: DisplayText = "read:repository:bitbucket, write:repository:bitbucket"
    private static let page = HTTPSAddress(host: "id.atlassian.com", path: "/manage-profile/security/api-tokens")

    private static func user(_ name: String) -> String {
        "Your user name on bitbucket.org, not your e-mail address [\(name)]: "
    }

    /// Queues what the repository answers to the token, and then to an anonymous request.
    private func answers(_ status: Int, toEverybody open: Int? = nil) {
        respond(HTTPResponse(status: status))
        if let open { respond(HTTPResponse(status: open)) }
    }

    private func login(_ host: String, _ token: String) throws -> (Verbs.ExitStatus, [String]) {
        questions.answers = [token]
        questions.isInputTyped = false
        verb.setUpGit()
        return try verb.run(["login", host, "--with-token"])
    }

    @Test("setup asks for a repository and a name, tries the token as git would, and then stores it")
    func tried() throws {
        questions.answers = ["https://mona@bitbucket.org/acme/widgets.git", "", "ATAT_mine"]
        answers(200, toEverybody: 401)
        #expect(try setup.run(host: "bitbucket.org") == .done)
        #expect(questions.asked == [Self.repository, Self.user("mona"), "Token for bitbucket.org (not shown): "])
        let address = "https://bitbucket.org/acme/widgets.git/info/refs?service=git-upload-pack"
        #expect(requests.map(\.address) == [address, address])
        #expect(requests.map(\.authorization) == ["Basic mona:ATAT_mine", nil])
        #expect(password(of: "mona") == "ATAT_mine")
        #expect(setup.lines.contains("bitbucket.org accepted the token for acme/widgets. Stored as mona."))
        #expect(try get(host: "bitbucket.org").hasPrefix("username=mona\n"))
    }

    @Test(
        "setup suggests the current repository's remote in any form, and not one on another host",
        arguments: [
            ("https://mona@bitbucket.org/acme/widgets.git", "mona"),
            ("git@bitbucket.org:acme/widgets.git", "x-bitbucket-api-token-auth"),
        ])
    func remote(address: String, name: String) throws {
        verb.remote = address
        questions.answers = ["", "", "ATAT_mine"]
        answers(200, toEverybody: 404)
        #expect(try setup.run(host: "bitbucket.org") == .done)
        #expect(questions.asked.prefix(2) == [Self.known, Self.user(name)])
        #expect(credential(of: name) != nil)
        verb.remote = "https://eve@github.com/acme/widgets"
        #expect(try setup.run(host: "bitbucket.org") == .done)
        questions.answers = []
        #expect(try verb.run(["login", "bitbucket.org", "--with-token"]).status == .cancelled)
        #expect(questions.asked.last == Self.repository)
    }

    @Test("setup does not ask for the account and repository that the command names")
    func named() throws {
        questions.answers = ["ATAT_mine"]
        answers(200, toEverybody: 401)
        #expect(try setup.run(host: "https://mona@bitbucket.org/acme/widgets") == .done)
        #expect(questions.asked == ["Token for bitbucket.org (not shown): "])
        #expect(credential(of: "mona") != nil)
        // Run again, it asks Bitbucket whether the token is still accepted.
        answers(200, toEverybody: 401)
        #expect(try setup.run(host: "https://mona@bitbucket.org/acme/widgets") == .done)
        #expect(setup.lines.contains("Already signed in to bitbucket.org as mona."))
    }

    @Test("login stores the token for the account that the command names, whatever a remote or an answer names")
    func namedAlone() throws {
        verb.remote = "https://eve@bitbucket.org/acme/widgets"
        questions.answers = ["", "ATAT_mine", "https://zoe@bitbucket.org/acme/app", "ATAT_mine"]
        for _ in 1...2 {
            answers(200, toEverybody: 401)
            #expect(try verb.run("login", "bitbucket.org", "mona", "--with-token").status == .done)
        }
        #expect(users() == ["mona"] && questions.answers.isEmpty)
    }

    @Test("Ctrl-C while a token is tried stores nothing, even if it was accepted before", arguments: [[], [200]])
    func interrupted(answers: [Int]) throws {
        answers.forEach { self.answers($0) }
        doubles.transport.fail(.interrupted)
        #expect(try login("https://mona@bitbucket.org/acme/widgets", "ATAT_mine").0 == .failed)
        #expect(doubles.keyring.items.isEmpty && sentences == ["interrupted"])
    }

    @Test("login stores no refused or unverified token, names the likely cause, and sends no e-mail address as a name")
    func refused() throws {
        #expect(try verb.run(["login", "bitbucket.org", "--with-token", "--username", "m@x.org"]).status == .failed)
        let error = UserFacingError.notAUsername(isAddress: true, host: "bitbucket.org")
        #expect(doubles.errors == [error] && questions.asked.isEmpty && requests.isEmpty)
        let address = "https://mona@bitbucket.org/acme/widgets"
        for (status, token) in [(401, "ATAT_bad"), (401, "ATBBold"), (404, "ATAT_mine"), (503, "ATAT_mine")] {
            answers(status)
            #expect(try login(address, token).0 == .failed, "\(status)")
        }
        doubles.transport.fail(.unreachable)
        #expect(try login(address, "ATAT_mine").0 == .failed)
        #expect(
            doubles.errors.dropFirst() == [
                .tokenRefused(
                    host: "bitbucket.org", "acme/widgets", as: "mona", permissions: Self.permissions, page: Self.page),
                .appPassword(host: "bitbucket.org", page: Self.page),
                .tokenReachesNothing(host: "bitbucket.org", "acme/widgets", permissions: Self.permissions),
                .tokenNotVerified(host: "bitbucket.org"), .tokenNotVerified(host: "bitbucket.org"),
            ])
        #expect(doubles.keyring.items.isEmpty && doubles.transport.isExhausted)
    }

    @Test("login stores no token if it stays open whether the repository is public", arguments: [429, 503, nil])
    func openToAll(status: Int?) throws {
        answers(200, toEverybody: status)
        if status == nil { doubles.transport.fail(.unreachable) }
        #expect(try login("https://mona@bitbucket.org/acme/widgets", "ATAT_mine").0 == .failed)
        #expect(doubles.errors == [.tokenNotVerified(host: "bitbucket.org")] && doubles.keyring.items.isEmpty)
    }

    @Test("setup asks again for text that is no repository on the host, and with the previous answers after a refusal")
    func again() throws {
        questions.answers = ["https://github.com/acme/widgets", "acme", "acme/widgets", "mona", "ATAT_bad"]
        questions.answers += ["", "", "ATAT_mine"]
        answers(401)
        answers(200, toEverybody: 401)
        #expect(try setup.run(host: "bitbucket.org") == .done)
        #expect(questions.asked.dropFirst(5).prefix(2) == [Self.known, Self.user("mona")])
        #expect(doubles.errors.prefix(2) == [.noRepository(on: "bitbucket.org"), .noRepository(on: "bitbucket.org")])
    }

    @Test("login reports an unchecked token if the repository is missing or public")
    func unchecked() throws {
        let words =
            "Stored the token of x-bitbucket-api-token-auth for bitbucket.org without checking it with the server."
        var (status, text) = try login("bitbucket.org", "ATAT_mine")
        #expect(status == .done && text == [words, "Saved in the keyring."] && requests.isEmpty)
        answers(200, toEverybody: 200)
        (status, text) = try login("https://bitbucket.org/acme/open", "ATAT_mine")
        let open = "acme/open is public, so it could not show whether the token is good."
        #expect(status == .done && text == [words, open, "Saved in the keyring."])
    }
}
