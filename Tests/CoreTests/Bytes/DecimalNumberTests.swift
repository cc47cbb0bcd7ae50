import CredentialCore
import Testing

@Suite("Decimal numbers")
struct DecimalNumberTests {
    @Test(
        "reads digits, with or without leading zeros",
        arguments: [("0", 0), ("7", 7), ("007", 7), ("1700000000", 1_700_000_000), ("9223372036854775807", Int64.max)])
    func number(text: String, number: Int64) { #expect(DecimalNumber.parse(text.utf8) == number) }

    @Test(
        "refuses text that is no plain number of 63 bits, without a trap",
        arguments: [
            "", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "abc", "１", "9223372036854775808", "18446744073709551616",
            "99999999999999999999", "92233720368547758070", "1\0",
        ])
    func none(text: String) { #expect(DecimalNumber.parse(text.utf8) == nil) }
}
