import CredentialCore
import Testing

@Suite("ASCII folding")
struct ASCIITests {
    @Test("folds the 26 capital letters, and changes no other byte")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let isCapital = (0x41...0x5a).contains(byte)
            #expect(ASCII.folded(byte) == (isCapital ? byte + 32 : byte))
        }
    }

    @Test("ignores letter case", arguments: ["github.com", "GitHub.com", "GITHUB.COM"])
    func equal(text: String) { #expect(ASCII.equalsIgnoringCase(text.utf8, "GitHub.Com")) }

    @Test(
        "distinguishes any other difference",
        arguments: ["github.co", "github.com.", "github.com ", "", "gıthub.com", "ｇithub.com"])
    func different(text: String) { #expect(!ASCII.equalsIgnoringCase(text.utf8, "github.com")) }

    @Test("does not fold the Kelvin sign to k, as Unicode does")
    func kelvin() { #expect(!ASCII.equalsIgnoringCase("\u{212a}eep".utf8, "keep")) }
}
