/// Codes and tokens in GitHub's forms.
enum RandomText {
    private static let alphanumeric = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    private static let hexadecimal = Array("0123456789abcdef")
    private static let capitals = Array("0123456789ABCDEF")

    /// `prefix` and `length` random letters and digits.
    static func token(_ prefix: String, length: Int = 36) -> String {
        prefix + characters(length, of: alphanumeric)
    }

    /// 40 hexadecimal digits.
    static func deviceCode() -> String { characters(40, of: hexadecimal) }

    /// Four characters, a hyphen, four characters.
    static func userCode() -> String { characters(4, of: capitals) + "-" + characters(4, of: capitals) }

    /// So many characters of an alphabet.
    private static func characters(_ count: Int, of alphabet: [Character]) -> String {
        String((0..<count).map { _ in alphabet[Int.random(in: alphabet.indices)] })
    }
}
