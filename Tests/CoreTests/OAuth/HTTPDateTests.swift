import Providers
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
    @Test(
        "reads the preferred form",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 as Int64), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 14 Nov 2023 22:13:20 GMT", 1_700_000_000), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Sat, 01 Mar 2025 00:00:00 GMT", 1_740_787_200), ("Fri, 31 Dec 9999 23:59:60 GMT", 253_402_300_800),
        ])
    func read(text: String, seconds: Int64) { #expect(HTTPDate.parse(Array(text.utf8)) == seconds) }

    @Test(
        "refuses any other form",
        arguments: [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
            "Tue, 31 Feb 2026 08:49:37 GMT", "Sun, 29 Feb 2026 08:49:37 GMT", "Fri, 31 Apr 2026 08:49:37 GMT",
        ])
    func others(text: String) { #expect(HTTPDate.parse(Array(text.utf8)) == nil) }
}
