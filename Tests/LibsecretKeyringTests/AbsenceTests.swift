import CredentialCore
import Foundation
import LibsecretKeyring
import Staging
import Testing

@Suite("No keyring to be reached")
struct AbsenceTests {
    @Test(
        "each kind of absence is told as what it is, without a wait",
        arguments: [(Session.Kind.noBus, true), (.deadAddress, true), (.noProvider, false)])
    func absence(kind: Session.Kind, isBus: Bool) async throws {
        let session = try await Session(kind)
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [environment = session.environment as [String: String], isBus = isBus as Bool] in
            Session.enter(environment)
            let expected: KeyringError = isBus ? .noBus : .noProvider
            let keyring = headlessKeyring()
            let attributes = try attributes("ghe.example")
            let elapsed = milliseconds {
                #expect(throws: expected) { try keyring.items(having: attributes) }
                #expect(throws: expected) { try keyring.checkWritable(mayPrompt: true) }
                #expect(throws: expected) { try keyring.save(secret("token"), under: attributes) }
            }
            print("\(expected): three calls in \(elapsed) ms")
            // GDBus would wait for 25 seconds for each of the three.
            #expect(elapsed < 70_000)
        }
        tell(result)
    }

    @Test("with a display and no bus, none is launched")
    func noAutolaunch() async throws {
        let session = try await Session(.noBus)
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            // A dbus-launch that leaves a trace of being run.
            let folder = try sessionHome()
            let launcher = folder.appendingPathComponent("dbus-launch")
            try "#!/bin/sh\n: >\"\(folder.path)/launched\"\n".write(to: launcher, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: launcher.path)
            setenv("PATH", folder.path + ":/usr/bin:/bin", 1)
            setenv("DISPLAY", ":99", 1)
            for address in [nil, "autolaunch:", "unix:path=/nonexistent;autolaunch:"] as [String?] {
                if let address { setenv("DBUS_SESSION_BUS_ADDRESS", address, 1) }
                #expect(throws: KeyringError.noBus) { try headlessKeyring().items(having: try attributes("a.example")) }
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/launched"))
        }
    }

    @Test("without an address, the bus of the runtime directory is found")
    func runtimeDirectory() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            unsetenv("DBUS_SESSION_BUS_ADDRESS")
            let items = try headlessKeyring().items(having: try attributes("a.example"))
            #expect(items.isEmpty)
        }
    }

    @Test("a service without any collection is a service without a collection")
    func noCollection() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try control("delete-collection")
            let keyring = headlessKeyring()
            let attributes = try attributes("ghe.example")
            #expect(try keyring.items(having: attributes).isEmpty)
            #expect(throws: KeyringError.noCollection) { try keyring.checkWritable(mayPrompt: true) }
            #expect(throws: KeyringError.noCollection) { try keyring.save(secret("token"), under: attributes) }
        }
    }

    @Test("a configured collection is used, and no other in its place")
    func configuredCollection() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let path = "/org/freedesktop/secrets/collection/session"
            for (collection, expected) in [("session", true), (path, true), ("nosuch", false), ("/no/such", false)] {
                let keyring = LibsecretKeyring(collection: collection, canPrompt: false, limits: limits())
                let attributes = try attributes("ghe.example", user: collection)
                guard expected else {
                    #expect(throws: KeyringError.noCollection) { try keyring.checkWritable(mayPrompt: false) }
                    #expect(throws: KeyringError.noCollection) { try keyring.save(secret("token"), under: attributes) }
                    continue
                }
                try keyring.checkWritable(mayPrompt: false)
                try keyring.save(secret("token"), under: attributes)
                #expect(try keyring.items(having: attributes).first?.path.hasPrefix(path) == true)
            }
        }
    }
}
