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

/// The body of a client's request, whose pieces are asked for as they are needed.
final class ClientBody {
    private var reader: BodyReader
    /// Whatever has come, once there is something; nil if nothing comes any more.
    private let read: () -> ArraySlice<UInt8>?
    /// Takes back what belongs to the next request.
    private let putBack: (ArraySlice<UInt8>) -> Void
    /// Has been read from the client, and not been asked for yet.
    private var rest: ArraySlice<UInt8> = []
    /// Taken off its framing, and not handed on yet.
    private var pieces: [ArraySlice<UInt8>] = []
    private var hasEnded = false

    init(
        _ framing: BodyFraming, read: @escaping () -> ArraySlice<UInt8>?,
        returning putBack: @escaping (ArraySlice<UInt8>) -> Void
    ) {
        reader = BodyReader(framing)
        self.read = read
        self.putBack = putBack
    }

    /// The next piece; empty at the end, nil if the client has ended before.
    private func next() throws(HTTPRefusal) -> ArraySlice<UInt8>? {
        if !pieces.isEmpty { return pieces.removeFirst() }
        while !hasEnded {
            switch try reader.next(&rest) {
            case .bytes(let bytes):
                return bytes
            case .end:
                hasEnded = true
                putBack(rest)
                rest = []
            case .needsMore:
                guard let more = read() else { return nil }
                rest = more
            }
        }
        return []
    }

    /// Fills the buffer; 0 at the end, nil if the client has ended before.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(HTTPRefusal) -> Int? {
        guard let piece = try next() else { return nil }
        let now = piece.prefix(buffer.count)
        buffer.copyBytes(from: now)
        if now.endIndex < piece.endIndex { pieces.insert(piece[now.endIndex...], at: 0) }
        return now.count
    }

    /// Whether it begins like a question for refs, which brings no objects (gitprotocol-v2(5)); nil if the client has
    /// ended before.
    ///
    /// The bytes stay in the body.
    func isListing() throws(HTTPRefusal) -> Bool? {
        guard let piece = try next() else { return nil }
        if !piece.isEmpty { pieces.insert(piece, at: 0) }
        return piece.dropFirst(4).starts(with: "command=ls-refs".utf8)
    }

    /// The beginning of a push, which is put back for the host; nil if the client has ended before.
    func readPush() throws(HTTPRefusal) -> Push? {
        var reader = PushReader()
        while true {
            guard var piece = try next() else { return nil }
            let push = piece.isEmpty ? try reader.finish() : try reader.take(&piece)
            guard let push else { continue }
            pieces = [push.bytes[...], piece].filter { !$0.isEmpty }
            return push
        }
    }

    /// What is left of it; false if the client ends before.
    func skip() throws(HTTPRefusal) -> Bool {
        while true {
            guard let piece = try next() else { return false }
            if piece.isEmpty { return true }
        }
    }
}
