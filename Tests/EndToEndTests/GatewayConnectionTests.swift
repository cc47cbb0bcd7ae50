import Staging
import Testing

/// One connection of a gateway: where its bytes end, and the way to the host.
@Suite("share: a gateway's connections")
struct GatewayConnectionTests {
    @Test("ends the connection without a last chunk if the host's answer breaks off")
    func brokenOff() async throws {
        let (fixture, _) = try await GatewayTests.fixture()
        let gateway = try await GatewayBox(fixture)
        let type = "Content-Type: application/x-git-upload-pack-result"
        fixture.github.answer(
            .gitFetch, with: .raw("HTTP/1.1 200 OK\r\n\(type)\r\nContent-Length: 100\r\n\r\n0008NAK\n"))
        let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
        place.post(PlaceConnection.packet("command=fetch\n"), to: "git-upload-pack")
        let answer = try await place.client.answer()
        #expect(answer.contains("0008NAK\n") && !answer.hasSuffix("\r\n0\r\n\r\n"), "\(answer)")
    }

    @Test("reads a refused push to its end before the next request")
    func restOfPush() async throws {
        let (fixture, _) = try await GatewayTests.fixture()
        let head = String(try fixture.github.git(["rev-parse", "main"], in: "acme/private").dropLast())
        let gateway = try await GatewayBox(fixture, "--branch", "agent/*")
        let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
        let push = PlaceConnection.push([PlaceConnection.deletion(of: "refs/heads/main", at: head)])
        // More than the gateway reads at once.
        place.post(push + [UInt8](repeating: 0x78, count: 1 << 20), to: "git-receive-pack")
        place.discover(in: "acme/none")
        place.client.endInput()
        let answer = try await place.client.answer()
        #expect(answer.contains("ng refs/heads/main ") && answer.contains("has no repository acme/none"), "\(answer)")
    }

    @Test("reads what a client still sends after a refusal, so that the client gets the refusal")
    func sending() async throws {
        let (fixture, _) = try await GatewayTests.fixture()
        let gateway = try await GatewayBox(fixture, "--repository", fixture.address())
        let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
        let body = [UInt8](repeating: 0x78, count: 8 << 20)
        place.post([], to: "git-upload-pack", in: "acme/other", length: body.count)
        #expect(place.client.send(body))
        place.client.endInput()
        #expect(try await place.client.answer().contains("acme/other is not shared here"))
    }

    @Test("a share of the token removes git's configuration of a gateway that was killed")
    func oldConfiguration() async throws {
        let (fixture, _) = try await GatewayTests.fixture()
        let gateway = try await GatewayBox(fixture)
        gateway.box.program.signal(SIGKILL)
        _ = try await gateway.box.program.ended()
        let file = gateway.box.directory + "/gitconfig"
        #expect(FileManager.default.fileExists(atPath: file))
        let box = try await SharedBox(fixture, name: "agent", "--long-lived")
        #expect(!FileManager.default.fileExists(atPath: file))
        withExtendedLifetime(box) {}
    }

    @Test("reaches the host through a proxy and with a client certificate, each with its own password")
    func proxyAndCertificate() async throws {
        let fixture = try await EndToEndFixture(wantsClientCertificate: true)
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let (file, key) = (fixture.session.home + "/client.pem", fixture.session.home + "/client-key.pem")
        try await fixture.session.run([
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-subj", "/CN=mona", "-days", "9", "-passout",
            "pass:key's", "-keyout", key, "-out", file,
        ]).succeeded()
        let proxy = fixture.github.proxyAddress.replacing("://", with: "://mona@")
        for (name, value) in [
            ("proxy", proxy), ("sslCert", file), ("sslKey", key), ("sslCertPasswordProtected", "true"),
        ] { _ = try await fixture.git("config", "--global", "http.\(name)", value) }
        // mona:secret
        fixture.github.closeProxy(but: "Basic bW9uYTpzZWNyZXQ=")
        for login in [
            "url=\(proxy)\npassword=secret\n", "protocol=cert\nhost=\npath=\(file)\nusername=\npassword=key's\n",
        ] { try await fixture.git("credential", "approve", input: login).succeeded(silently: true) }
        let gateway = try await GatewayBox(fixture)
        try await gateway.clone()
        #expect(try await gateway.push(to: "agent/x").status == 0)
        #expect(Set(fixture.github.tunnels) == [fixture.host])
    }
}
