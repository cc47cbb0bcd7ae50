/// Where the trace is written, by the rules of `GIT_TRACE` (git(1)).
package enum TraceDestination: Equatable {
    /// Nowhere: not set, empty, `0`, `false`, or a value that git would not understand.
    case off
    /// `1` or `true`.
    case standardError
    /// `2` to `9`: a descriptor that the caller has opened.
    case descriptor(Int32)
    /// An absolute path, to which the trace is appended.
    case file(String)

    /// Parses the value of `GITSPACE_TRACE`.
    package init(_ value: String?) {
        guard let value, let first = value.utf8.first else {
            self = .off
            return
        }
        switch (value.lowercased(), first) {
        case ("1", _), ("true", _): self = .standardError
        case (_, UInt8(ascii: "/")): self = .file(value)
        case (_, UInt8(ascii: "2")...UInt8(ascii: "9")) where value.utf8.count == 1:
            self = .descriptor(Int32(first - UInt8(ascii: "0")))
        default: self = .off
        }
    }
}
