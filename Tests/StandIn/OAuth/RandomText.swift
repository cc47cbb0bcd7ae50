/// Codes and tokens in the services' forms.
enum RandomText {
    private static let alphanumeric = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    private static let digits = Array("0123456789abcdef")
    private static let capitals = Array("0123456789ABCDEF")

    /// `prefix` and `length` random letters and digits.
    static func token(_ prefix: String, length: Int = 36) -> String { prefix + characters(length, of: alphanumeric) }

    static func hexadecimal(_ count: Int) -> String { characters(count, of: digits) }

    /// Eight random characters with a hyphen in the middle.
    static func userCode() -> String { characters(4, of: capitals) + "-" + characters(4, of: capitals) }

    private static func characters(_ count: Int, of alphabet: [Character]) -> String {
        String((0..<count).map { _ in alphabet[Int.random(in: alphabet.indices)] })
    }
}
