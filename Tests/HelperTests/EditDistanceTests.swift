import Helper
import Testing

@Suite("The word that was meant")
struct EditDistanceTests {
    private static let verbs = ["login", "logout", "refresh", "status", "switch", "check", "unconfigure"]

    @Test(
        "finds the nearest word, or none",
        arguments: [
            ("stauts", "status"), ("logn", "login"), ("signin", nil), ("unconfigrue", "unconfigure"),
            ("chekc", "check"), ("x", nil), ("", nil), ("refersh", "refresh"),
        ] as [(String, String?)])
    func nearest(word: String, meant: String?) { #expect(EditDistance.nearest(to: word, of: Self.verbs) == meant) }
}
