import Providers
import Testing

@Suite("RFC 3339 times")
struct RFC3339TimeTests {
    @Test(
        "reads whole seconds in UTC",
        arguments: [
            ("2023-11-14T22:13:20Z", 1_700_000_000 as Int64), ("1970-01-01T00:00:00Z", 0),
            ("2024-02-29T23:59:59Z", 1_709_251_199),
        ])
    func read(text: String, seconds: Int64) { #expect(RFC3339Time.parse(Array(text.utf8)) == seconds) }

    @Test(
        "refuses any other form",
        arguments: [
            "", "2023-11-14", "2023-11-14 22:13:20Z", "2023-11-14T22:13:20", "2023-11-14T22:13:20.5Z",
            "2023-11-14T22:13:20+01:00", "2023-00-14T22:13:20Z", "2023-13-14T22:13:20Z", "2023-11-31T22:13:20Z",
            "2023-02-29T22:13:20Z", "2100-02-29T22:13:20Z", "2023-12-32T22:13:20Z",
            "2023-11-14T24:13:20Z", "2023-11-14T22:60:20Z", "1969-11-14T22:13:20Z", "+023-11-14T22:13:20Z",
        ])
    func others(text: String) { #expect(RFC3339Time.parse(Array(text.utf8)) == nil) }
}
