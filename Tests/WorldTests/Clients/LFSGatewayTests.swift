import Staging
import Testing

extension Clients {
    /// Git LFS has no way to a gateway, and git runs it during a clone.
    @Suite("git-lfs behind a gateway") struct LFSGatewayTests {
        @Test("a clone ends at once, with pointers in place of the files", arguments: Git.all)
        func clone(git: Git) async throws {
            guard let lfs = Client.lfs.first, lfs.isHere() else { return }
            let fixture = try await EndToEndFixture(git: git)
            try await fixture.signedIn("monalisa")
            let pointer = """
                version https://git-lfs.github.com/spec/v1
                oid sha256:\(String(repeating: "4", count: 64))
                size 9

                """
            try fixture.github.createRepository(
                "acme/large", writers: ["monalisa"],
                files: [".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": pointer])
            let gateway = try await GatewayBox(fixture, "--repository", fixture.address("acme/large"))
            let end = try await gateway.run(
                """
                git lfs install --skip-repo >/dev/null
                git clone --quiet \(fixture.address("acme/large")) work
                git -C work status --porcelain
                cat work/a.bin
                """)
            #expect(end.status == 0 && end.output == pointer, "\(end.output)\(end.errors)")
            WorldRow.add(
                .clients, lfs.program, lfs.version ?? "", tried: "clone through a gateway, with \(git)",
                result: "ends at once, with pointers in place of the files")
        }
    }
}
