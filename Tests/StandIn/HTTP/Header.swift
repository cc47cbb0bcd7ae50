/// One header line of a request or a response; an array of them keeps order and repetition.
package struct Header: Sendable, Equatable {
    package let name: String
    package let value: String

    /// A header line; the value is sent unchanged.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [Header] {
    /// The first value of a header; names ignore case.
    package subscript(name: String) -> String? { first { $0.name.lowercased() == name.lowercased() }?.value }
}
