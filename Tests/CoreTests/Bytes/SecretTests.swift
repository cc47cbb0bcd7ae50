import Foundation
import TestSupport
import Testing

@Suite("Secrets")
struct SecretTests {
    private let secret = Secret("gho_16C7e42F292c")

    @Test("lends its bytes out unchanged", arguments: [[], [0], [0, 255, 10, 13], Array(repeating: 7, count: 70_000)])
    func roundTrip(bytes: [UInt8]) {
        let secret = Secret(bytes)
        #expect(secret.count == bytes.count && secret.isEmpty == bytes.isEmpty)
        #expect(secret.reveal { Array($0) } == bytes)
    }

    @Test("compares every byte of two secrets")
    func equality() {
        #expect(Secret("abc") == Secret("abc"))
        #expect(Secret("") == Secret(""))
        #expect(Secret("abc") != Secret("abd"))
        #expect(Secret("abc") != Secret("bbc"))
        #expect(Secret("abc") != Secret("ab"))
        #expect(Secret("abc") != Secret(""))
    }

    /// Returns the value in every way in which Swift makes text of it.
    private func printed<Value>(_ value: Value) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        let mirrored = Mirror(reflecting: value).children.map { "\($0.label ?? "") \($0.value)" }
        return dumped + "\(value)" + String(describing: value) + String(reflecting: value) + mirrored.joined()
    }

    @Test("prints neither a byte nor the length of a secret")
    func printing() {
        let text = printed(secret)
        #expect(!text.contains("16C7") && !text.contains("gho_") && !text.contains("\(secret.count)"))
        #expect("\(secret)" == "****")
    }

    @Test("prints no byte of a secret in another value")
    func containers() {
        let text = printed(secret as Secret?) + printed([secret]) + printed(["token": secret]) + printed((1, secret))
        #expect(!text.contains("16C7") && text.contains("****"))
    }

    @Test("wiping empties an array")
    func wiping() {
        var bytes = Array("password".utf8)
        bytes.wipe()
        #expect(bytes.isEmpty)
        bytes.wipe()
        #expect(bytes.isEmpty)
    }

    @Test("locks a secret's page in memory, and keeps it out of core dumps")
    func page() throws {
        let address = secret.reveal { UInt(bitPattern: $0.baseAddress) }
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let maps = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
        var isInside = false
        var flags: [Substring] = []
        for words in maps.split(separator: "\n").map({ $0.split(separator: " ") }) {
            let bounds = (words.first ?? "").split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(address) }
            if isInside, words.first == "VmFlags:" { flags = words }
        }
        // The flags of proc_pid_smaps(5): locked, and not dumped.
        #expect(flags.contains("lo") && flags.contains("dd"), "\(flags)")
        withExtendedLifetime(secret) {}
    }
}
