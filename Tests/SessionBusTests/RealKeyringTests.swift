import CredentialCore
import Glibc
import Staging
import System
import Testing

@testable import FrontDoor

@Suite("A real keyring")
struct RealKeyringTests {
    @Test("reads items of libsecret byte for byte, with their attributes", arguments: [1, 3])
    func stored(count: Int) async throws {
        let session = try await Session()
        let secret = "gho_0123\nline=two ü\u{1}"
        for number in 1...count {
            let attributes = ["protocol", "https", "server", "host.example", "user", "user-\(number)"]
            let store = ["secret-tool", "store", "--label=test"] + attributes
            try #require(try await session.run(store, input: secret).status == 0)
        }
        let address = try #require(SessionBusAddress(environment: { session.environment[$0] })?.sockets.first)
        let (ending, items) = try lookUp(on: address)
        #expect(ending == .items(count))
        #expect(items.allSatisfy { $0.secret?.reveal { $0.elementsEqual(secret.utf8) } == true })
        #expect(Set(items.compactMap(\.attributes.user)) == Set((1...count).map { Array("user-\($0)".utf8) }))
        let clear = ["secret-tool", "clear", "protocol", "https", "server", "host.example"]
        try #require(try await session.run(clear).status == 0)
        #expect(try lookUp(on: address).ending == .items(0))
    }

    @Test(
        "leaves another user's keyring alone",
        .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)))
    func stranger() async throws {
        let session = try await Session(startedBy: [
            "as-user.sh", "12345", BuiltFiles.script("with-keyring.sh"), "--open-bus",
        ])
        let address = try #require(SessionBusAddress(environment: { session.environment[$0] })?.sockets.first)
        #expect(try lookUp(on: address).ending == .aside(.foreignBus(.user(12_345))))
    }
}
