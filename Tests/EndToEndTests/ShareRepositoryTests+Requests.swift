import Foundation
import Glibc
import Staging
import StandIn
import Testing

/// Who finds the token, and what a target gets for which request.
extension ShareRepositoryTests {
    @Test(
        "outside, nothing finds its item: not git, not its libsecret helper, not by name or path, nor a keyring search")
    func hidden() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let place = fixture.host.split(separator: ":")
        for lines in [
            [], ["username=monalisa"], ["path=acme/private"], ["path=acme/private.git", "username=monalisa"],
        ] {
            for frontDoor in ["on", "off"] {
                let answer = try await fixture.startHelper(
                    "get", lines, environment: ["GITSPACE_FRONT_DOOR": frontDoor]
                )
                .ended().output
                #expect(Self.password(in: answer) == own.accessToken, "\(lines): \(answer)")
            }
            for helper in LibsecretHelper.current {
                let input = (["protocol=https", "host=\(fixture.host)"] + lines).map { $0 + "\n" }.joined()
                let answer = try await fixture.session.run([helper.path, "get"], input: input).output
                #expect(Self.password(in: answer).map { $0 == own.accessToken } ?? true, "\(answer)")
            }
        }
        let found = try await fixture.session.run([
            "secret-tool", "search", "--all", "protocol", "https", "server", String(place[0]),
        ])
        #expect(!found.output.contains(fixture.github.tokens.last?.accessToken ?? "?"), "\(found.output)")
        // erase and store outside leave it alone.
        for operation in ["erase", "store"] {
            _ = try await fixture.helper(operation, "username=monalisa", "password=planted", "path=acme/private")
        }
        _ = try await Self.run(fixture, "logout", fixture.host)
        let answer = try await box.ask("get", "protocol=https", "host=\(fixture.host)")
        #expect(Self.password(in: answer) == fixture.github.tokens.last?.accessToken)
        let status = try await Self.run(fixture, "status")
        #expect(
            status.output.contains("  acme/private on \(fixture.host), as monalisa, for \"box\": read and push\n"),
            "\(status.output)")
        let json = try await Self.run(fixture, "status", "--json").output
        #expect(json.contains(#""share": "box""#) || json.contains(#""share":"box""#), "\(json)")
    }

    @Test("every hostile request, with and without a path, gets this token or nothing, and changes nothing")
    func corpus() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let token = try #require(fixture.github.tokens.last?.accessToken)
        let before = try await fixture.session.items()
        for hostile in try HostileRequest.all() {
            for action in hostile.operations {
                for path in [nil, "acme/private", "acme/other"] {
                    var bytes = try hostile.bytes(for: action)
                    // What is longer is not a request.
                    if bytes.count < 8_192 { bytes = bytes.replacing("github.com".utf8, with: fixture.host.utf8) }
                    var frame = Array("action=\(action)\ntimeout=900\n".utf8)
                    if let path { frame += Array("path=\(path)\n".utf8) }
                    let answer = try await box.send(frame + bytes)
                    let what = Comment(rawValue: "\(hostile.name), \(action), \(path ?? "no path"): \(answer)")
                    let given = Self.password(in: answer)
                    #expect(given == nil || (given == token && action == "get" && path != "acme/other"), what)
                    #expect(!answer.contains(own.accessToken) && !answer.contains("refresh"), what)
                }
            }
        }
        #expect(try await fixture.session.items() == before)
    }

    @Test("another repository's path, host, account, protocol: silence or quit=1; without a path the one token")
    func requests() async throws {
        let (fixture, _) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let token = try #require(fixture.github.tokens.last?.accessToken)
        func ask(_ lines: String..., host: String? = nil, scheme: String = "https") async throws -> String {
            try await box.send(SharedBox.text("get", ["protocol=\(scheme)", "host=\(host ?? fixture.host)"] + lines))
        }
        for path in [
            "", "acme/private", "acme/private.git", "ACME/Private.git", "acme/private.wiki.git",
            "acme/private.git/info/lfs",
        ] {
            #expect(try await Self.password(in: ask("path=\(path)")) == token, "\(path)")
        }
        for path in [
            "acme/other", "acme/other.git", "acme", "acme/", "acme/private/..", "acme/private/../other",
            "acme/private.git.git",
            "acme/privateer", "acme/priv%61te", "/acme/private", "acme//private", "acme/private/", "private",
            "beta/private",
        ] {
            #expect(try await ask("path=\(path)").isEmpty, "\(path)")
        }
        for host in [
            "github.com", "evil.example", fixture.host + ".", "api." + fixture.host, fixture.host.uppercased(),
        ] {
            #expect(try await ask(host: host).isEmpty, "\(host)")
        }
        #expect(try await ask(scheme: "http").isEmpty)
        #expect(try await ask("username=bob") == "quit=1\n")
        #expect(try await Self.password(in: ask("username=monalisa")) == token)
        // With useHttpPath, git itself asks with a path.
        let end = try await Self.git(
            """
            git -c credential.useHttpPath=true ls-remote \(fixture.address()) &&
            ! git -c credential.useHttpPath=true ls-remote \(fixture.address("acme/other"))
            """, in: box, fixture)
        #expect(end.status == 0 && end.errors.contains("could not read Username"), "\(end.errors)")
        // store inside is ignored.
        _ = try await box.ask(
            "store", "protocol=https", "host=\(fixture.host)", "username=monalisa", "password=planted")
        #expect(try await Self.password(in: ask()) == token)
    }

    @Test("two shares of two repositories: each has its own, and the end of one is not the other's")
    func two() async throws {
        let (fixture, _) = try await Self.fixture()
        let first = try await Self.box(fixture)
        let second = try await Self.box(fixture, name: "second", "acme/other")
        let request = ["protocol=https", "host=\(fixture.host)"]
        let tokens = [
            try await Self.password(in: first.send(SharedBox.text("get", request))),
            try await Self.password(in: second.send(SharedBox.text("get", request))),
        ].compactMap(\.self)
        let ids = tokens.map { token in fixture.github.tokens.first { $0.accessToken == token }?.repositoryID }
        try #require(tokens.count == 2 && Set(ids).count == 2 && !ids.contains(nil), "\(ids)")
        #expect(try await first.send(SharedBox.text("get", request + ["path=acme/other"])).isEmpty)
        _ = try await Self.run(fixture, "share", "stop", "box")
        #expect(!fixture.github.isLive(tokens[0]) && fixture.github.isLive(tokens[1]))
        #expect(try await Self.password(in: second.send(SharedBox.text("get", request))) == tokens[1])
    }
}
