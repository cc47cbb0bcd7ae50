import Staging
import Testing

/// Credentials that git and libcurl use before they ask a helper: bob's, although monalisa is signed in.
@Suite("Credentials before any helper")
struct EarlierCredentialTests {
    enum Place: String, CaseIterable { case netrc, lines, url, header }

    /// Returns a fixture in which git reads bob's repository by the credential in one place, from a clone of it.
    private func fixture(_ place: Place) async throws -> (EndToEndFixture, clone: String) {
        let fixture = try await EndToEndFixture()
        try fixture.github.createRepository("acme/bobs", readers: ["bob"])
        try await fixture.signedIn("monalisa")
        let token = fixture.github.issueToken(for: "bob", app: fixture.app).accessToken
        let clone = try await fixture.repository("clone", origin: fixture.address("acme/bobs"))
        #expect(try await fixture.git("-C", clone, "ls-remote").status != 0)
        let name = fixture.host.split(separator: ":").first.map(String.init) ?? ""
        let netrc = fixture.session.home + "/.netrc"
        switch place {
        case .netrc:
            try "machine other.example login x password y\nmachine \(name) login bob password \(token)\n"
                .write(to: netrc)
        case .lines:
            try "machine \(name)\n  login bob\n  password \(token)\nmachine other.example password y\n".write(to: netrc)
        case .url:
            let url = fixture.address("acme/bobs", user: "bob:\(token)")
            try await fixture.git("remote", "set-url", "origin", url, in: clone).succeeded()
        case .header:
            let basic = Data("bob:\(token)".utf8).base64EncodedString()
            let key = "http.https://\(fixture.host)/.extraheader"
            try await fixture.git("config", "--global", key, "Authorization: Basic \(basic)").succeeded()
        }
        return (fixture, clone)
    }

    @Test("doctor and check report it, and the printed command removes it", arguments: Place.allCases)
    func found(place: Place) async throws {
        let (fixture, clone) = try await fixture(place)
        #expect(try await fixture.git("-C", clone, "ls-remote").status == 0)
        let doctor = try await fixture.gitspace("doctor", in: clone)
        #expect(doctor.output.contains("instead of your sign-in"), "\(doctor.output)")
        let check = try await fixture.gitspace("check", in: clone)
        #expect(check.status == 1 && check.errors.contains("instead of your sign-in"), "\(check.errors)")
        for secret in fixture.github.issuedSecrets { #expect(!(doctor.output + check.errors).contains(secret)) }
        let hint = try #require(check.errors.split(separator: "\n").last)
        let command = try #require(hint.split(separator: ":", maxSplits: 1).last)
        let removed = try await fixture.start(["sh", "-c", String(command)], in: clone).ended()
        #expect(removed.status == 0, "\(command) \(removed.errors)")
        #expect(try await fixture.git("-C", clone, "ls-remote").status != 0)
        let after = try await fixture.gitspace("doctor", in: clone)
        #expect(!after.output.contains("instead of your sign-in"), "\(after.output)")
    }
}
