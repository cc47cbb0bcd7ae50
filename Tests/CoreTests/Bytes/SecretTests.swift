import CredentialCore
import TestSupport
import Testing

@Suite("Secrets")
struct SecretTests {
    private let secret = Secret("gho_16C7e42F292c")

    @Test(
        "what goes in is lent out unchanged",
        arguments: [[], [0], [0, 255, 10, 13], Array(repeating: 7, count: 70_000)])
    func roundTrip(bytes: [UInt8]) {
        let secret = Secret(bytes)
        #expect(secret.count == bytes.count)
        #expect(secret.isEmpty == bytes.isEmpty)
        #expect(secret.reveal { Array($0) } == bytes)
    }

    @Test("secrets are equal if every byte is")
    func equality() {
        #expect(Secret("abc") == Secret("abc"))
        #expect(Secret("") == Secret(""))
        #expect(Secret("abc") != Secret("abd"))
        #expect(Secret("abc") != Secret("bbc"))
        #expect(Secret("abc") != Secret("ab"))
        #expect(Secret("abc") != Secret(""))
    }

    /// Every way in which Swift makes text of a value by itself.
    private func printed<Value>(_ value: Value) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        let mirrored = Mirror(reflecting: value).children.map { "\($0.label ?? "") \($0.value)" }
        return dumped + "\(value)" + String(describing: value) + String(reflecting: value) + mirrored.joined()
    }

    @Test("no way of printing shows a byte of it, nor its length")
    func printing() {
        let text = printed(secret)
        #expect(!text.contains("16C7"))
        #expect(!text.contains("gho_"))
        #expect(!text.contains("\(secret.count)"))
        #expect("\(secret)" == "****")
    }

    @Test("nor does printing something that holds it")
    func containers() {
        let text = printed(secret as Secret?) + printed([secret]) + printed(["token": secret]) + printed((1, secret))
        #expect(!text.contains("16C7"))
        #expect(text.contains("****"))
    }

    @Test("wiping empties an array")
    func wiping() {
        var bytes = Array("password".utf8)
        bytes.wipe()
        #expect(bytes.isEmpty)
        bytes.wipe()
        #expect(bytes.isEmpty)
    }
}
