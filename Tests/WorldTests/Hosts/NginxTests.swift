import Staging
import Testing

extension Hosts {
    /// nginx with HTTP/2 in front of a git host: Tests/Support/nginx.py.
    @Suite("A host behind nginx") struct NginxTests {
        private struct Announcement: Decodable {
            let port: Int
            let authority: String
            let version: String
        }

        @Test("git clones over HTTP/2, and clones and pushes through a gateway")
        func gateway() async throws {
            let tried = "git host with HTTP/2: clone, also through a gateway, and push through it"
            guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") else {
                return WorldRow.notRun(.hosts, "nginx", tried: tried, because: "it is not installed")
            }
            let nginx = try await RealServer<Announcement>([BuiltFiles.script("nginx.py")])
            let host = "localhost:\(nginx.announcement.port)"
            let fixture = try await EndToEndFixture(
                host: host,
                settings: """
                    provider = github
                    [http "https://\(host)/"]
                    proxy =
                    sslCAInfo = \(nginx.announcement.authority)
                    """)
            try await nginx.tell("serve \(fixture.server.port)")
            try await fixture.signedIn("monalisa")
            try await fixture.git("clone", "--quiet", fixture.address(), "direct").succeeded()
            let gateway = try await GatewayBox(fixture, "--repository", fixture.address(), "--branch", "agent/*")
            try await gateway.clone()
            try await gateway.push(to: "agent/change").succeeded()
            let refused = try await gateway.push(to: "main")
            #expect(refused.status != 0 && refused.errors.contains("remote rejected"), "\(refused.errors)")
            let pushed = try await fixture.git("ls-remote", fixture.address(), "agent/change")
            #expect(pushed.status == 0 && pushed.output.contains("refs/heads/agent/change"), "\(pushed.errors)")
            let protocols = try await nginx.tell("protocols")
            #expect(protocols.contains("HTTP/2.0"), "\(protocols)")
            WorldRow.add(.hosts, "nginx", nginx.announcement.version, tried: tried, result: "works; \(protocols)")
        }
    }
}
