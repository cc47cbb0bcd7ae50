/// The bytes of one libFuzzer input, from which parts can be taken.
public struct Input {
    /// The bytes that have not been taken yet.
    public private(set) var bytes: [UInt8]

    /// Copies libFuzzer's buffer, which is valid only during the call.
    public init(_ start: UnsafePointer<UInt8>, _ count: Int) {
        bytes = Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// Removes and returns the first byte, which selects a form of the test; 0 if there is none.
    public mutating func takeByte() -> UInt8 { bytes.isEmpty ? 0 : bytes.removeFirst() }

    /// The remaining bytes, split at each 0xFF, which never occurs in UTF-8.
    public var parts: [[UInt8]] { bytes.split(separator: 0xff, omittingEmptySubsequences: false).map(Array.init) }
}

/// Ends the process, which libFuzzer records as a finding, if a property does not hold.
public func require(_ holds: Bool, _ property: @autoclosure () -> String) {
    guard holds else { fatalError(property()) }
}
