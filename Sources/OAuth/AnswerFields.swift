/// The named values of an OAuth answer: a JSON object, which is what we ask for (RFC 6749, 5.1 and 5.2).
package struct AnswerFields {
    private let values: [String: JSONValue]

    /// Reads an answer's body.
    ///
    /// The result is nil if it is no JSON object, or if a name stands there twice.
    package init?(_ response: HTTPResponse) {
        guard case .object(let members)? = JSONValue(parsing: response.body) else { return nil }
        values = members
    }

    /// A text; nil if absent or empty.
    package func text(_ name: String) -> [UInt8]? {
        guard case .string(let text)? = values[name], !text.isEmpty else { return nil }
        return text
    }

    /// Whether the name stands there with any value but null.
    package func has(_ name: String) -> Bool { values[name].map { $0 != .null } ?? false }

    /// A number of seconds, from a number or from digits in a string, which old samples of GitHub's have.
    ///
    /// - Returns: nil if absent or no number; otherwise the seconds, held between -1 and ten years.
    package func seconds(_ name: String) -> Int64? {
        var number = values[name]
        // Swift's own reading of a text would take `inf` and `0x10` for numbers.
        if case .string(let digits)? = number { number = JSONValue(parsing: digits) }
        guard case .number(let text)? = number, let value = Double(text) else { return nil }
        return Int64(min(max(value, -1), Self.tenYears))
    }

    private static let tenYears: Double = 315_360_000
}
