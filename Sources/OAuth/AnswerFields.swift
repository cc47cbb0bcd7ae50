/// The named values of an OAuth response: a JSON object, which is what we ask for (RFC 6749, 5.1 and 5.2).
package struct AnswerFields {
    private let values: [String: JSONValue]

    /// Parses the body of a response.
    ///
    /// The result is nil if it is not a JSON object, or if it contains a name twice.
    package init?(_ response: HTTPResponse) {
        guard case .object(let members)? = JSONValue(parsing: response.body) else { return nil }
        values = members
    }

    /// A string; nil if absent or empty.
    package func text(_ name: String) -> [UInt8]? {
        guard case .string(let text)? = values[name], !text.isEmpty else { return nil }
        return text
    }

    /// Whether the name is present with a value other than null.
    package func has(_ name: String) -> Bool { values[name].map { $0 != .null } ?? false }

    /// A number of seconds, from a number or from digits in a string, which old samples of GitHub's contain.
    ///
    /// - Returns: nil if absent or not a number; otherwise the seconds, limited to between -1 and ten years.
    package func seconds(_ name: String) -> Int64? {
        var number = values[name]
        // Swift's own parsing would accept `inf` and `0x10` as numbers.
        if case .string(let digits)? = number { number = JSONValue(parsing: digits) }
        guard case .number(let text)? = number, let value = Double(text) else { return nil }
        return Int64(min(max(value, -1), Self.tenYears))
    }

    private static let tenYears: Double = 315_360_000
}
