import CredentialCore
import Keyrings
import Staging
import Testing

@Suite("Unreachable keyrings")
struct AbsenceTests {
    @Test(
        "reports the reason for each kind of absence, and repeats no save",
        arguments: [(Session.Kind.noBus, true), (.deadAddress, true), (.noProvider, false)])
    func absence(kind: Session.Kind, isBus: Bool) async throws {
        let session = try await Session(kind)
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], isBus = isBus as Bool] in
            Session.enter(environment)
            let expected: KeyringError = isBus ? .noBus : .noProvider
            var looks = 0
            let keyring = LibsecretKeyring(
                canPrompt: false, limits: limits(save: 20_000),
                interrupted: {
                    looks += 1
                    return false
                })
            let attributes = try attributes("ghe.example")
            #expect(throws: expected) { try keyring.items(having: attributes) }
            #expect(throws: expected) { try keyring.checkWritable(mayPrompt: true) }
            looks = 0
            #expect(throws: expected) { try keyring.save(secret("token"), under: attributes) }
            // A save that is repeated until its limit takes two hundred looks.
            #expect(looks < 100)
        }
    }

    @Test(
        "launches no bus if there is a display and no bus",
        arguments: [nil, "", "autolaunch:", "disabled:", "unix:path=/nonexistent;autolaunch:"] as [String?])
    func noAutolaunch(address: String?) async throws {
        let session = try await Session(.noBus)
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], address = address as String?] in
            Session.enter(environment)
            // A dbus-launch that leaves a file when it runs.
            let folder = try sessionHome()
            let launcher = folder.appendingPathComponent("dbus-launch")
            try "#!/bin/sh\n: >\"\(folder.path)/launched\"\n".write(to: launcher, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: launcher.path)
            setenv("PATH", folder.path + ":/usr/bin:/bin", 1)
            setenv("DISPLAY", ":99", 1)
            if let address { setenv("DBUS_SESSION_BUS_ADDRESS", address, 1) }
            let expected: KeyringError = address?.contains(";") == true ? .foreignBus(.address("autolaunch:")) : .noBus
            #expect(throws: expected) { try headlessKeyring().items(having: try attributes("a.example")) }
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/launched"))
        }
    }

    @Test(
        "notices another user in the place of our bus at the connection, even if it refuses us",
        .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)),
        arguments: [["--open-bus"], []])
    func strangerLater(options: [String]) async throws {
        let session = try await Session()
        let stranger = try await Session(
            startedBy: ["as-user.sh", "12345", BuiltFiles.script("with-keyring.sh")] + options, beside: session)
        let other = try #require(stranger.environment["XDG_RUNTIME_DIR"])
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], other = other as String] in
            Session.enter(environment)
            let link = try sessionHome().appendingPathComponent("bus").path
            let own = String(cString: try #require(getenv("XDG_RUNTIME_DIR")))
            setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + link, 1)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: own + "/bus")
            let keyring = headlessKeyring()
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other + "/bus")
            let expected = KeyringError.foreignBus(.user(12_345))
            #expect(throws: expected) { try keyring.items(having: try attributes("a.example")) }
            #expect(throws: expected) { try keyring.save(secret("token"), under: try attributes("a.example")) }
        }
    }

    @Test(
        "finds the bus of the runtime directory without an address, unless it is switched off",
        arguments: [true, false])
    func runtimeDirectory(isOn: Bool) async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], isOn = isOn as Bool] in
            Session.enter(environment)
            if isOn { unsetenv("DBUS_SESSION_BUS_ADDRESS") } else { setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1) }
            let items = try? headlessKeyring().items(having: try attributes("a.example"))
            #expect(items?.isEmpty == (isOn ? true : nil))
        }
    }

    @Test("reports a service without any collection as such")
    func noCollection() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            let (keyring, attributes) = try entered(environment)
            try control("delete-collection")
            #expect(try keyring.items(having: attributes).isEmpty)
            #expect(throws: KeyringError.noCollection) { try keyring.checkWritable(mayPrompt: true) }
            #expect(throws: KeyringError.noCollection) { try keyring.save(secret("token"), under: attributes) }
        }
    }

    @Test("reports a collection that is listed and does not exist as not ready, and creates no other")
    func notReady() async throws {
        let (environment, service) = try await scripted("not-ready")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let keyring = LibsecretKeyring(canPrompt: true, limits: limits())
            let attributes = try attributes("ghe.example")
            #expect(try keyring.items(having: attributes).isEmpty)
            #expect(throws: KeyringError.notReady) { try keyring.checkWritable(mayPrompt: true) }
            #expect(throws: KeyringError.notReady) { try keyring.save(secret("token"), under: attributes) }
            #expect(throws: KeyringError.notReady) { try keyring.locked(.forNewItems) }
        }
        #expect(!service.calls.contains("CreateCollection"))
    }

    @Test("uses a configured collection, and no other in its place")
    func configuredCollection() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let path = "/org/freedesktop/secrets/collection/session"
            for (collection, expected) in [("session", true), (path, true), ("nosuch", false), ("/no/such", false)] {
                let keyring = LibsecretKeyring(collection: collection, canPrompt: false, limits: limits())
                let attributes = try attributes("ghe.example", user: collection)
                guard expected else {
                    let expected = KeyringError.noSuchCollection(DisplayText(untrusted: collection.utf8))
                    #expect(throws: expected) { try keyring.checkWritable(mayPrompt: true) }
                    #expect(throws: expected) { try keyring.save(secret("token"), under: attributes) }
                    #expect(throws: expected) { try keyring.locked(.forNewItems) }
                    continue
                }
                try keyring.checkWritable(mayPrompt: false)
                try keyring.save(secret("token"), under: attributes)
                #expect(try keyring.items(having: attributes).first?.path.hasPrefix(path) == true)
            }
        }
    }
}
