internal import CredentialCore

/// How the end of a body is known (RFC 9112, 6.3).
package enum BodyFraming: Equatable, Sendable {
    /// In bytes.
    case length(Int64)
    case chunked
}

/// Takes the framing off a body (RFC 9112, 6 and 7.1), without keeping any of it.
package struct BodyReader {
    package enum Piece: Equatable {
        /// Of the body; never empty.
        case bytes(ArraySlice<UInt8>)
        case needsMore
        /// Whatever follows belongs to the next request.
        case end
    }

    private enum State {
        /// The value and the number of the digits that were read.
        case size(Int64, digits: Int)
        /// After the size, before its LF.
        case sizeEnd(Int64)
        case data(left: Int64, isChunk: Bool)
        case dataEnd(isHalfRead: Bool)
        case trailers
        case end
    }

    private var state: State
    private var lines = HeadLines()
    private var fieldLines = FieldLines()

    package init(_ framing: BodyFraming) {
        switch framing {
        case .length(let count): state = count == 0 ? .end : .data(left: count, isChunk: false)
        case .chunked: state = .size(0, digits: 0)
        }
    }

    /// The next bytes of the body; to be called until it needs more or is at the end.
    package mutating func next(_ input: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> Piece {
        while true {
            switch state {
            case .end: return .end
            case .trailers:
                guard let line = try lines.next(&input) else { return .needsMore }
                if try fieldLines.parse(line) == nil { state = .end }
            case .data(let left, let isChunk):
                guard !input.isEmpty else { return .needsMore }
                let bytes = input.prefix(Int(min(left, Int64(input.count))))
                input = input[bytes.endIndex...]
                let rest = left - Int64(bytes.count)
                state = rest > 0 ? .data(left: rest, isChunk: isChunk) : isChunk ? .dataEnd(isHalfRead: false) : .end
                return .bytes(bytes)
            case .size, .sizeEnd, .dataEnd:
                guard let byte = input.popFirst() else { return .needsMore }
                state = try Self.state(after: byte, in: state)
            }
        }
    }

    /// `chunk-size CRLF` or the CRLF after the data of a chunk; no extension, and no blank either.
    private static func state(after byte: UInt8, in state: State) throws(HTTPRefusal) -> State {
        switch (state, byte) {
        case (.size(let size, 1...), UInt8(ascii: "\r")): return .sizeEnd(size)
        case (.sizeEnd(0), UInt8(ascii: "\n")): return .trailers
        case (.sizeEnd(let size), UInt8(ascii: "\n")): return .data(left: size, isChunk: true)
        case (.dataEnd(false), UInt8(ascii: "\r")): return .dataEnd(isHalfRead: true)
        case (.dataEnd(true), UInt8(ascii: "\n")): return .size(0, digits: 0)
        case (.size(let size, let digits), _):
            guard digits < longestSize, let digit = Hexadecimal.number(byte) else { throw .malformed }
            return .size(size << 4 | Int64(digit), digits: digits + 1)
        default: throw .malformed
        }
    }

    /// In hexadecimal digits.
    private static let longestSize = 8
}
