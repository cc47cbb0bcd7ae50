import Staging
import Testing

extension Keyrings {
    @Suite("Open keyrings") struct UnlockedTests {
        private static let options = [
            "gnome-keyring": [], "KeePassXC": ["--set", "ConfirmAccessItem=false"], "KWallet": ["--without-display"],
        ]

        private func program(
            _ name: String, _ system: KeyringSystem, _ tried: String
        ) async throws -> KeyringProgramFixture? {
            try await .start(name, Self.options[name] ?? [], of: system, tried: tried)
        }

        @Test(
            "returns a stored credential to both programs, replaces it, and erases it",
            arguments: options.keys.sorted(), KeyringSystem.allCases)
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

        @Test("supports login, clone, refresh and logout", arguments: options.keys.sorted(), KeyringSystem.allCases)
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
            guard let keyring = try await program("KeePassXC", system, tried) else { return }
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
            let keyring = try await KeyringProgramFixture.start("KWallet", of: system, tried: tried)
            guard let keyring else { return }
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

    @Suite("Locked keyrings") struct LockedTests {
        private static let options = [
            "KeePassXC": ["--locked"],
            "KeePassXC, UnlockBeforeSearch=false": ["--locked", "--set", "UnlockBeforeSearch=false"],
            "KeePassXC without a database": ["--empty"], "KeePassXC in front of an open database": ["--front"],
            "KWallet": ["--locked"],
        ]

        private func program(
            _ name: String, _ system: KeyringSystem, _ tried: String
        ) async throws -> KeyringProgramFixture? {
            let program = String(name.prefix { $0 != "," && $0 != " " })
            return try await .start(program, Self.options[name] ?? [], of: system, tried: tried)
        }

        @Test(
            "names the locked keyring at once, and opens no dialog, if nobody may be asked",
            arguments: options.keys.sorted(), KeyringSystem.allCases)
        func nobodyHere(name: String, system: KeyringSystem) async throws {
            let tried =
                "locked, nobody to ask: get by both programs, store, erase, status"
                + (name.split(separator: "C", maxSplits: 1).last.map {
                    $0.hasPrefix(",") || $0.hasPrefix(" ") ? " (\($0.drop { !$0.isLetter }))" : ""
                } ?? "")
            guard let keyring = try await program(name, system, tried) else { return }
            let owner = name.prefix { $0 != "," && $0 != " " }
            let runs = [
                try keyring.plain("get"), try keyring.plain("get", program: KeyringProgramFixture.fullProgram),
                try keyring.plain("store", "pw"), try keyring.plain("erase"),
                try keyring.fixture.start([BuiltFiles.helper, "status", "--offline"]),
                try keyring.fixture.startHelper("get"),
            ]
            for run in runs {
                let end = try await run.ended()
                #expect(end.errors.contains("locked") && end.errors.contains(owner), "\(end.errors)")
                #expect(!end.errors.contains("gnome-keyring") && !end.output.contains("password"))
                print("\(name), locked, nobody here: \(end.duration)")
            }
            #expect(try await keyring.windows.open("Unlock|KDE Wallet Service").isEmpty)
            keyring.held(tried, "told as locked, at once; no dialog opens")
        }

        @Test("reports items of a locked gnome-keyring as locked", arguments: KeyringSystem.allCases)
        func gnomeKeyring(system: KeyringSystem) async throws {
            let tried = "locked, nobody to ask: get by both programs, erase, status"
            guard let keyring = try await program("gnome-keyring", system, tried) else { return }
            #expect(try await keyring.plain("store", "pw").ended().errors.isEmpty)
            try await keyring.fixture.session.control("lock")
            let runs = [
                try keyring.plain("get"), try keyring.plain("get", program: KeyringProgramFixture.fullProgram),
                try keyring.plain("erase"),
                try keyring.fixture.start([BuiltFiles.helper, "status", "--offline", "plain.example"]),
            ]
            for run in runs {
                let end = try await run.ended()
                #expect((end.output + end.errors).contains("locked"), "\(end.output)\(end.errors)")
                #expect(!end.output.contains("password"))
            }
            keyring.held(tried, "told as locked, at once")
        }

        @Test(
            "stores in memory if there is no wallet and no person, and every command reports that",
            arguments: KeyringSystem.allCases)
        func withoutWallet(system: KeyringSystem) async throws {
            let tried = "without a wallet, nobody to ask: store, get by both programs, status, doctor, unlock"
            let keyring = try await KeyringProgramFixture.start("KWallet", ["--empty"], of: system, tried: tried)
            guard let keyring else { return }
            #expect(try await keyring.plain("store", "pw").ended().errors.isEmpty)
            for program in [BuiltFiles.helper, KeyringProgramFixture.fullProgram] {
                let end = try await keyring.plain("get", program: program).ended()
                #expect(end.output == "username=octocat\npassword=pw\n", "\(end.errors)")
            }
            let status = try await keyring.fixture.gitspace("status", "plain.example")
            #expect(status.output.contains("Password of octocat (memory)"), "\(status.output)\(status.errors)")
            for verb in ["doctor", "unlock"] {
                let end = try await keyring.fixture.gitspace(verb)
                let text = (end.output + end.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(text.contains("KWallet has no wallet yet"), "\(verb): \(text)")
            }
            keyring.held(tried, "in memory, and found there; told in the same words")
        }

        @Test(
            "waits for a person to unlock it in its window, and says so on the terminal",
            arguments: ["KeePassXC", "KWallet"], KeyringSystem.allCases)
        func unlocked(name: String, system: KeyringSystem) async throws {
            let tried = "locked, with a person: store, get"
            if name == "KeePassXC", system == .trixie, ProcessInfo.processInfo.activeProcessorCount < 3 {
                // Each of KeePassXC's two password forms uses a pool thread to watch for hardware keys. The pool has
                // one thread for each processor, so none is left to open the database.
                return WorldRow.notRun(
                    .keyrings, name, on: system.name, tried: tried,
                    because: "KeePassXC 2.7.10 opens no database in its dialog with two processors")
            }
            guard let keyring = try await program(name, system, tried) else { return }
            let title = name == "KWallet" ? "KDE Wallet" : "Unlock Database"
            let terminal = try PseudoTerminal(columns: 120)
            let store = try keyring.plain("store", "pw", environment: keyring.windows.environment, on: terminal)
            try await keyring.windows.answer(title, typing: keyring.password)
            #expect(try await store.ended().status == 0)
            #expect(terminal.text.contains("Waiting for you") && terminal.text.contains(name), "\(terminal.text)")
            // Even a get may open the window, to allow the access.
            let get = try keyring.plain("get", environment: keyring.windows.environment)
            if name == "KeePassXC" { try await keyring.windows.answer("Access Request") }
            let end = try await get.ended()
            #expect(end.output == "username=octocat\npassword=pw\n", "\(end.errors)")
            keyring.held(tried, "its own dialog, once; the terminal says what is waited for")
        }

        @Test(
            "asks a person to allow one get, and no store, if each access is confirmed",
            arguments: KeyringSystem.allCases)
        func confirming(system: KeyringSystem) async throws {
            let tried = "asking for each access: get, store of the same, erase"
            let keyring = try await KeyringProgramFixture.start("KeePassXC", of: system, tried: tried)
            guard let keyring else { return }
            let display = keyring.windows.environment
            #expect(try await keyring.plain("store", "pw").ended().errors.isEmpty)
            let refused = try await keyring.plain("get").ended()
            #expect(refused.errors.contains("KeePassXC"), "\(refused.errors)")
            for program in [BuiltFiles.helper, KeyringProgramFixture.fullProgram] {
                let get = try keyring.plain("get", program: program, environment: display)
                try await keyring.windows.answer("Access Request")
                #expect(try await get.ended().output == "username=octocat\npassword=pw\n")
            }
            for environment in [display, [:]] {
                let store = try await keyring.plain("store", "pw", environment: environment).ended()
                #expect(store.errors.isEmpty, "\(store.errors)")
            }
            let erase = try keyring.plain("erase", environment: display)
            try await keyring.windows.answer("Access Request")
            #expect(try await erase.ended().errors.isEmpty)
            #expect(try await keyring.plain("get").ended().output.isEmpty)
            keyring.held(tried, "one dialog for each get and erase, none for a store")
        }

        @Test(
            "gives up on a hanging keyring in time, and names it",
            arguments: ["gnome-keyring", "KeePassXC", "KWallet"], KeyringSystem.allCases)
        func hung(name: String, system: KeyringSystem) async throws {
            let tried = "hung: get, store, erase"
            guard let keyring = try await program(name, system, tried) else { return }
            kill(keyring.fixture.session.keyring, SIGSTOP)
            defer { kill(keyring.fixture.session.keyring, SIGCONT) }
            for run in [try keyring.plain("get"), try keyring.plain("store", "pw"), try keyring.plain("erase")] {
                let end = try await run.ended()
                #expect(
                    end.errors.contains("the keyring did not answer within") && end.errors.contains(name),
                    "\(end.errors)")
                print("\(name), hung: \(end.duration)")
            }
            keyring.held(tried, "given up in time, and named")
        }
    }
}
