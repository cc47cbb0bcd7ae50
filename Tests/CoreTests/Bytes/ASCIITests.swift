import CredentialCore
import Testing

@Suite("ASCII folding")
struct ASCIITests {
    @Test("the 26 capital letters become small ones, and no other byte changes")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let isCapital = (0x41...0x5a).contains(byte)
            #expect(ASCII.folded(byte) == (isCapital ? byte + 32 : byte))
        }
    }

    @Test("letter case does not count", arguments: ["github.com", "GitHub.com", "GITHUB.COM"])
    func equal(text: String) {
        #expect(ASCII.equalsIgnoringCase(text.utf8, "GitHub.Com"))
    }

    @Test(
        "nothing else is forgiven",
        arguments: ["github.co", "github.com.", "github.com ", "", "gıthub.com", "ｇithub.com"])
    func different(text: String) {
        #expect(!ASCII.equalsIgnoringCase(text.utf8, "github.com"))
    }

    @Test("the Kelvin sign, which Unicode folds to k, is no k")
    func kelvin() {
        #expect(!ASCII.equalsIgnoringCase("\u{212a}eep".utf8, "keep"))
    }
}
