import TestSupport
import Testing

/// An object that a verb prints for programs.
struct PrintedObject {
    private let value: JSONValue

    /// The text, or `nil` for `null`.
    subscript(_ name: String) -> String? { value[name]?.string.map { String(decoding: $0, as: UTF8.self) } }

    func isTrue(_ name: String) -> Bool? { value[name]?.bool }

    var hints: [String] {
        guard case .array(let hints)? = value["hints"] else { return [] }
        return hints.map { String(decoding: $0.string ?? [], as: UTF8.self) }
    }

    fileprivate init(_ value: JSONValue) { self.value = value }
}

extension VerbFixture {
    /// Runs a verb with `--json`, and reads what it prints: an object, or an array of them.
    func objects(_ words: String...) throws -> [PrintedObject] {
        let before = printed.utf8.count
        let (_, text) = try run(words + ["--json"])
        #expect(text.isEmpty)
        let value = try #require(JSONValue(parsing: Array(printed.utf8.dropFirst(before))))
        guard case .array(let values) = value else { return [PrintedObject(value)] }
        return values.map { PrintedObject($0) }
    }

    /// Runs `check` and returns its one finding.
    func check(_ url: String) throws -> PrintedObject { try #require(try objects("check", url).first) }
}
