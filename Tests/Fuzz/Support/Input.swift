/// What libFuzzer hands to a target: bytes, from which parts can be taken.
public struct Input {
    /// All of them, or what is left of them.
    public private(set) var bytes: [UInt8]

    /// Copies libFuzzer's buffer, which is only lent.
    public init(_ start: UnsafePointer<UInt8>, _ count: Int) {
        bytes = Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// Takes the first byte, which chooses between forms of a test; 0 if there is none.
    public mutating func takeByte() -> UInt8 {
        bytes.isEmpty ? 0 : bytes.removeFirst()
    }

    /// The rest, cut at each 0xFF, which occurs in no UTF-8 text.
    public var parts: [[UInt8]] { bytes.split(separator: 0xff, omittingEmptySubsequences: false).map(Array.init) }
}

/// Ends the process, which libFuzzer records as a finding, if a property does not hold.
public func require(_ holds: Bool, _ property: @autoclosure () -> String) {
    guard holds else { fatalError(property()) }
}
