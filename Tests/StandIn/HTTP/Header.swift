/// One header line of a request or an answer; an array of them keeps order and repetition.
package struct Header: Sendable, Equatable {
    package let name: String
    package let value: String

    /// Makes a header line; the value is sent as it is.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [Header] {
    /// The first value under `name`, in any letter case.
    package subscript(name: String) -> String? {
        first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
