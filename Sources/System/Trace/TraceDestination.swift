/// Where the trace goes, by the grammar of `GIT_TRACE` (git(1)).
package enum TraceDestination: Equatable {
    /// Nowhere: not set, empty, `0`, `false`, or nothing that git would understand.
    case off
    /// `1` or `true`.
    case standardError
    /// `2` to `9`: a descriptor that whoever starts us has opened.
    case descriptor(Int32)
    /// An absolute path: appended to.
    case file(String)

    /// What the value of `GITSPACE_TRACE` says.
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
