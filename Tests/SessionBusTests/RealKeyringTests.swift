import CredentialCore
import Foundation
import Testing

@testable import SessionBus

/// The keyring that `make test` brings up around all tests (with-keyring.sh); without it these are left out.
@Suite("A real keyring", .enabled(if: ProcessInfo.processInfo.environment["KEYRING_PID"] != nil))
struct RealKeyringTests {
    private let address: BusAddress

    init() throws {
        let environment = ProcessInfo.processInfo.environment
        address = try BusAddress(
            environment["DBUS_SESSION_BUS_ADDRESS"], runtimeDirectory: environment["XDG_RUNTIME_DIR"])
    }

    /// Puts an item into the keyring, or takes it away, with the tool that libsecret brings.
    private func secretTool(_ arguments: [String], stdin: String = "") throws {
        let process = Process()
        let input = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/secret-tool")
        process.arguments = arguments
        process.standardInput = input
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(stdin.utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private func lookUp(server: String) throws -> [Item] {
        var attributes = try wanted()
        attributes.server = Array(server.utf8)
        return try SecretServiceReader(on: address, until: Clock.now + 10_000).items(having: attributes)
    }

    @Test("what libsecret has stored is read, byte for byte, with its attributes", arguments: [1, 3])
    func stored(count: Int) throws {
        let server = "reader-\(count).example"
        let secret = "gho_0123\nline=two ü\u{1}"
        for number in 1...count {
            let attributes = ["protocol", "https", "server", server, "user", "user-\(number)"]
            try secretTool(["store", "--label=test"] + attributes, stdin: secret)
        }
        let items = try lookUp(server: server)
        #expect(items.count == count)
        #expect(items.allSatisfy { $0.secret?.reveal { $0.elementsEqual(secret.utf8) } == true })
        #expect(
            Set(items.compactMap(\.attributes.user)) == Set((1...count).map { Array("user-\($0)".utf8) }))
        try secretTool(["clear", "protocol", "https", "server", server])
        #expect(try lookUp(server: server).isEmpty)
    }
}
