import Staging
import Testing

extension Keyrings {
    @Suite("Open keyrings") struct UnlockedTests {
        private func program(
            _ name: String, _ system: KeyringSystem, _ tried: String
        ) async throws -> KeyringProgramFixture? {
            switch name {
            case "KWallet": try await .kwallet("--without-display", of: system, tried: tried)
            case "KeePassXC": try await .keePassXC("--set", "ConfirmAccessItem=false", of: system, tried: tried)
            default: try await .gnomeKeyring(of: system, tried: tried)
            }
        }

        @Test(
            "returns a stored credential to both programs, replaces it, and erases it",
            arguments: ["gnome-keyring", "KeePassXC", "KWallet"], KeyringSystem.allCases)
        func plainStore(name: String, system: KeyringSystem) async throws {
            let tried = "store, get by both programs, store again, erase"
            guard let keyring = try await program(name, system, tried) else { return }
            for password in ["first", "second"] {
                try await keyring.plain("store", password).ended().succeeded(silently: true)
                for program in [BuiltFiles.helper, KeyringProgramFixture.fullProgram] {
                    let end = try await keyring.plain("get", program: program).ended()
                    #expect(end.output == "username=octocat\npassword=\(password)\n", "\(end.errors)")
                }
            }
            try await keyring.plain("erase", "second").ended().succeeded(silently: true)
            #expect(try await keyring.plain("get").ended().output.isEmpty)
            keyring.held(tried, "works")
        }

        @Test(
            "supports login, clone, refresh and logout",
            arguments: ["gnome-keyring", "KeePassXC", "KWallet"], KeyringSystem.allCases)
        func signIn(name: String, system: KeyringSystem) async throws {
            let tried = "login, clone, refresh, status, logout"
            guard let keyring = try await program(name, system, tried) else { return }
            let fixture = keyring.fixture
            fixture.server.nextSignIn(.approve(as: "monalisa"))
            try await fixture.gitspace("login", fixture.host, on: PseudoTerminal()).succeeded()
            try await fixture.gitspace("refresh", fixture.host).succeeded()
            try await fixture.git("clone", fixture.address(), "clone").succeeded()
            #expect(fixture.server.count(of: .refresh) == 1 && fixture.server.count(of: .deviceCode) == 1)
            #expect(fixture.server.refreshTokenReuses == 0)
            let status = try await fixture.gitspace("status", "--offline")
            #expect(status.output.contains("monalisa"), "\(status.output)\(status.errors)")
            try await fixture.gitspace("logout", fixture.host).succeeded()
            let after = try await fixture.gitspace("status", "--offline")
            #expect(!after.output.contains("monalisa"), "\(after.output)")
            keyring.held(tried, "works")
        }

        @Test(
            "leaves no token in KeePassXC's recycle bin after logout, and no probe after doctor",
            arguments: KeyringSystem.allCases)
        func recycleBin(system: KeyringSystem) async throws {
            let tried = "the database after refresh, logout and doctor"
            guard
                let keyring = try await KeyringProgramFixture.keePassXC(
                    "--set", "ConfirmAccessItem=false", of: system, tried: tried)
            else { return }
            let fixture = keyring.fixture
            fixture.server.nextSignIn(.approve(as: "monalisa"))
            for arguments in [["login", fixture.host], ["refresh", fixture.host]] {
                _ = try await fixture.gitspace(arguments, on: PseudoTerminal())
                // KeePassXC saves some time after a change, but not after a change made while it saves.
                _ = try await database(of: keyring, containing: #require(fixture.server.tokens.last).accessToken)
            }
            #expect(fixture.server.count(of: .refresh) == 1)
            for arguments in [["logout", fixture.host], ["doctor"]] { _ = try await fixture.gitspace(arguments) }
            // The history of an entry keeps its former values, out of reach of the Secret Service. Once a later change
            // is in the file, all changes of doctor are too.
            let text = try await database(of: keyring, containing: "after doctor") { count in
                _ = try await keyring.plain("store", "after doctor \(count)").ended()
            }.replacing(/<History>.*?<\/History>/.dotMatchesNewlines(), with: "")
            #expect(text.contains("Recycle Bin") && text.contains("doctor.invalid"))
            for token in fixture.server.tokens {
                #expect(!text.contains(token.accessToken))
                #expect(!text.contains(token.refreshToken ?? "no refresh token"))
            }
            #expect(!text.contains(#"ProtectInMemory="True">gitspace-doctor<"#))
            keyring.held(tried, "no entry in the recycle bin has a token; the history of an entry may have one")
        }

        /// Waits until the database contains a text, and returns it as text; may change it before each look.
        private func database(
            of keyring: KeyringProgramFixture, containing wanted: String, change: (Int) async throws -> Void = { _ in }
        ) async throws -> String {
            let path = keyring.fixture.session.environment["KEYRING_DATABASE"] ?? ""
            let end = ContinuousClock.now + .seconds(60)
            var looks = 0
            while true {
                try await change(looks)
                looks += 1
                let export = try await keyring.fixture.start(
                    keyring.program + ["keepassxc-cli", "export", "--quiet", path], input: keyring.password + "\n"
                ).ended()
                if export.output.contains(wanted) { return export.output }
                try #require(ContinuousClock.now < end, "\(wanted) is not in the database")
            }
        }

        @Test(
            "signs in instead of using an empty password if KWallet has lost an item", arguments: KeyringSystem.allCases
        )
        func killed(system: KeyringSystem) async throws {
            let tried = "killed right after a save"
            guard let keyring = try await KeyringProgramFixture.kwallet(of: system, tried: tried) else { return }
            let stored = try await keyring.plain("store", "first").ended()
            #expect(stored.errors.isEmpty, "\(stored.errors)")
            let killed = keyring.fixture.session.keyring
            kill(killed, SIGKILL)
            // Wait for its end: while it lives it keeps its bus name; afterwards the bus starts another keyring on the
            // next call.
            try await eventually("the end of KWallet") { kill(killed, 0) != 0 }
            let display = keyring.windows.environment
            let again = try keyring.fixture.start(keyring.program, environment: display)
            let wait = ["gdbus", "wait", "--session", "--timeout", "60", "org.freedesktop.secrets"]
            #expect(try await keyring.fixture.start(wait).ended().status == 0)
            let get = try keyring.plain("get", environment: display)
            try await keyring.windows.answer("KDE Wallet", typing: keyring.password)
            let end = try await get.ended()
            #expect(end.status == 0 && end.output.isEmpty, "\(end.output)")
            again.signal(SIGTERM)
            _ = try await again.ended()
            keyring.held(tried, "the password is gone, and is not handed out as an empty one")
        }
    }
}
