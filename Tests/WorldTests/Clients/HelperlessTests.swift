import Staging
import Testing

extension Clients {
    /// Libraries with their own implementation of git's protocol, whose caller must supply credentials.
    @Suite("Libraries that call no helper") struct HelperlessTests {
        struct Library: CustomTestStringConvertible {
            let name: String
            let clone: String

            var testDescription: String { name }
        }

        static let libraries = [
            Library(name: "dulwich", clone: "from dulwich import porcelain; porcelain.clone(url, 'clone')"),
            Library(
                name: "pygit2",
                clone: "pygit2.settings.set_ssl_cert_locations(ca, None); pygit2.clone_repository(url, 'clone')"),
        ]

        @Test("fails with its own error, and keeps the stored token", arguments: libraries)
        func clone(library: Library) async throws {
            let python = ["/usr/bin/python3", "-c"]
            let version = try RunningProgram.run(python + ["import \(library.name) as l; print(l.__version__)"])
            guard version.status == 0 else {
                return WorldRow.notRun(.clients, library.name, tried: "clone", because: "it is not installed")
            }
            let fixture = try await EndToEndFixture()
            let token = try await fixture.signedIn("monalisa")
            let script = "import \(library.name), sys; url, ca = sys.argv[1:]; \(library.clone)"
            let end = try await fixture.start(
                python + [script, fixture.address(), fixture.server.caFile],
                environment: ["NO_PROXY": "localhost", "REQUESTS_CA_BUNDLE": fixture.server.caFile]
            ).ended()
            #expect(end.status != 0)
            #expect(fixture.server.count(of: .gitRefs) >= 1, "\(end.errors)")
            #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
            let numbers = version.output.filter { $0.isNumber || $0 == "." || $0 == "," }
            WorldRow.add(
                .clients, library.name, numbers.replacing(",", with: "."), tried: "clone",
                result: "calls no credential helper")
        }
    }
}
